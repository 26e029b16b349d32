package io.edgeplug.system.programs;

import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Runs a program with everything that it starts, to its end or to its deadline. */
public enum Supervisor {
    /** systemd runs it as a unit, without the sandbox of this process and independent of its lifetime. */
    SYSTEMD,
    /** This process runs it as a process group, in its own sandbox and without limits. */
    THIS_PROCESS;

    /**
     * The end of a program.
     *
     * @param killed why it was killed; empty if it ended by itself
     * @param first the first line of its output that is not blank
     * @param last the last line
     */
    public record End(int status, Optional<String> killed, Optional<String> first, Optional<String> last) {

        /** The end, for a person. */
        public String text() {
            return killed.orElse("exit status " + status);
        }
    }

    /** systemd or D-Bus does not answer. This says nothing about the program. */
    public static final class UnansweredException extends IOException {

        private static final long serialVersionUID = 1;

        UnansweredException(String message) {
            super(message);
        }
    }

    /** Notes the begin and the end of a program. */
    public interface Witness {
        /**
         * Notes the program before it begins. So no program runs without a note, however this process ends.
         *
         * @throws IOException if it cannot be noted; then the program does not begin
         */
        void begins(RunningProgram program) throws IOException;

        /** No part of the program runs any more. */
        void ended() throws IOException;
    }

    /** The supervisor for programs of that node: systemd only for the node that this process runs on. */
    public static Supervisor of(Sysfs node) {
        return node.locate("").equals(Path.of("/")) && TransientUnit.obstacle().isEmpty() ? SYSTEMD : THIS_PROCESS;
    }

    /** Why programs do not run as units, although this is a service of systemd, whose sandbox they then have. */
    public static Optional<String> problem() {
        return TransientUnit.isSystemdRunning() ? TransientUnit.obstacle() : Optional.empty();
    }

    /**
     * Runs a program without input, and waits for its end.
     *
     * @param lines gets the first hundred lines of its output and errors, on a thread of its own, and then the number
     *     of further lines; long lines are cut
     * @throws IOException if it cannot be started or noted
     * @throws TimeoutException if it was killed at the deadline
     * @throws InterruptedException if it was killed because this thread was interrupted
     */
    public End run(Program program, Consumer<String> lines, Witness witness)
            throws IOException, TimeoutException, InterruptedException {
        Program.check(program.argv());
        return switch (this) {
            case SYSTEMD -> new UnitRun(program, lines).run(witness);
            case THIS_PROCESS -> ProcessGroup.run(program, lines, witness);
        };
    }
}
