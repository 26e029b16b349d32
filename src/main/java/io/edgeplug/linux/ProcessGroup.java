package io.edgeplug.linux;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * A program and all that it starts, run to its end or to a deadline; see setsid(1), kill(2).
 *
 * <p>It runs in a session of its own, so that its children go with it. A child that has left that session is killed with
 * it at the deadline; where the program ended before, it is out of reach, and its output is not read any more.
 */
public final class ProcessGroup {

    private static final String SETSID = "/usr/bin/setsid";

    /**
     * Begins with the program once it is told to; where nobody is left to tell, it ends. The program can also read its own
     * output: else it would be killed as it writes, by SIGPIPE, once this process was.
     */
    private static final List<String> GATE =
            List.of(SETSID, "/bin/sh", "-c", "read -r go && exec \"$@\" </dev/null 3<>/proc/self/fd/1", "edgeplug");

    private static final Map<String, String> ENVIRONMENT =
            Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin", "LANG", "C.UTF-8");
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final Duration LAST_OUTPUT = Duration.ofMillis(200);

    private final Process leader;

    private ProcessGroup(Process leader) {
        this.leader = leader;
    }

    /**
     * How a program ended.
     *
     * @param first the first line of its output that is not blank
     * @param last the last one
     */
    public record End(int status, Optional<String> first, Optional<String> last) {}

    /** Who is told of a group before its program begins. */
    public interface Beginning {
        /**
         * Writes it down.
         *
         * @throws IOException if that cannot be done; then the program does not begin
         */
        void note(GroupIdentity group) throws IOException;
    }

    /**
     * Runs a program, whose arguments no shell interprets, with no input, and waits for its end.
     *
     * @param argv begins with an absolute path
     * @param beginning is told of its group first: so there is no program that runs and that nobody has noted, however
     *     this process ends
     * @param environment all that it gets, besides a PATH of the system's directories and a LANG of plain UTF-8
     * @param lines gets the first hundred lines of its output and errors, on a thread of its own, and then how many more
     *     there were; long ones are cut
     * @throws IOException if it cannot be started, or not be noted
     * @throws TimeoutException if it was killed at the deadline
     * @throws InterruptedException if it was killed because this thread was interrupted
     */
    public static End run(
            List<String> argv,
            Map<String, String> environment,
            Duration deadline,
            Consumer<String> lines,
            Beginning beginning)
            throws IOException, TimeoutException, InterruptedException {
        check(argv);
        List<String> command = new ArrayList<>(GATE);
        command.addAll(argv);
        try (OutputPipe output = OutputPipe.open(lines)) {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(Path.of("/").toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.to(output.file()));
            builder.environment().clear();
            builder.environment().putAll(ENVIRONMENT);
            builder.environment().putAll(environment);
            ProcessGroup group = new ProcessGroup(builder.start());
            group.begin(beginning);
            output.begin();
            int status = group.awaitEnd(deadline);
            output.awaitEnd(LAST_OUTPUT);
            return new End(status, output.first(), output.last());
        }
    }

    private void begin(Beginning beginning) throws IOException {
        boolean begun = false;
        try (OutputStream gate = leader.getOutputStream()) {
            beginning.note(GroupIdentity.of(leader));
            gate.write('\n');
            gate.flush();
            begun = true;
        } finally {
            if (!begun) {
                kill();
            }
        }
    }

    /**
     * Looks whether a program could be started.
     *
     * @throws IOException if it cannot
     */
    public static void check(List<String> argv) throws IOException {
        if (!Files.isExecutable(Path.of(argv.getFirst()))) {
            throw new IOException(argv.getFirst() + ": no such program");
        }
    }

    private int awaitEnd(Duration deadline) throws TimeoutException, InterruptedException {
        try {
            if (!leader.waitFor(deadline.toNanos(), TimeUnit.NANOSECONDS)) {
                List<ProcessHandle> all = leader.descendants().toList();
                signal(KernelCalls.SIGTERM);
                leader.waitFor(GRACE.toNanos(), TimeUnit.NANOSECONDS);
                all.forEach(ProcessHandle::destroyForcibly);
                kill();
                throw new TimeoutException("took longer than " + deadline.toSeconds() + " s and was killed");
            }
            // whom it left behind; nobody else has the number of a group that still has members
            signal(KernelCalls.SIGKILL);
            return leader.exitValue();
        } catch (InterruptedException e) {
            kill();
            throw e;
        }
    }

    /** Also those that have left the session, and the leader by itself, which may not have its session yet. */
    private void kill() {
        List<ProcessHandle> all = leader.descendants().toList();
        signal(KernelCalls.SIGKILL);
        leader.destroyForcibly();
        all.forEach(ProcessHandle::destroyForcibly);
    }

    private void signal(int signal) {
        KernelCalls.load().kill(Math.toIntExact(-leader.pid()), signal);
    }
}
