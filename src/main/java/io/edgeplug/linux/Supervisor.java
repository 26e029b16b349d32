package io.edgeplug.linux;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Who runs a program, with all that it starts, to its end or to its deadline. */
public enum Supervisor {
    /** systemd, as a unit that has neither the sandbox nor the lifetime of this process. */
    SYSTEMD,
    /** This process, as a process group with its own sandbox and without limits. */
    THIS_PROCESS;

    /**
     * How a program ended.
     *
     * @param killed why it was killed, if it did not end by itself
     * @param first the first line of its output that is not blank
     * @param last the last one
     */
    public record End(int status, Optional<String> killed, Optional<String> first, Optional<String> last) {

        /** How, to a person. */
        public String text() {
            return killed.orElse("exit status " + status);
        }
    }

    /** systemd or D-Bus does not answer, which says nothing of the program. */
    public static final class UnansweredException extends IOException {

        private static final long serialVersionUID = 1;

        UnansweredException(String message) {
            super(message);
        }
    }

    /** Who is told of the begin and the end of a program. */
    public interface Witness {
        /**
         * Writes it down, before it begins: so there is no program that runs and that nobody has noted, however this
         * process ends.
         *
         * @throws IOException if that cannot be done; then the program does not begin
         */
        void begins(RunningProgram program) throws IOException;

        /** Nothing of it runs any more. */
        void ended() throws IOException;
    }

    /** Who runs programs for the devices of that node: systemd only for those of the node that this process is on. */
    public static Supervisor of(Sysfs node) {
        return node.locate("").equals(Path.of("/")) && TransientUnit.obstacle().isEmpty() ? SYSTEMD : THIS_PROCESS;
    }

    /**
     * Why programs do not run as units although this is a service of systemd, whose sandbox they then have.
     */
    public static Optional<String> problem() {
        return TransientUnit.isSystemdRunning() ? TransientUnit.obstacle() : Optional.empty();
    }

    /**
     * Runs a program, with no input, and waits for its end.
     *
     * @param lines gets the first hundred lines of its output and errors, on a thread of its own, and then how many more
     *     there were; long ones are cut
     * @throws IOException if it cannot be started, or not be noted
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
