package io.edgeplug.system.programs;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Runs a program and everything that it starts, to its end or to a deadline; see setsid(1), kill(2).
 *
 * <p>It runs in a session of its own, so that its children are killed with it. A child that has left the session is
 * killed too at the deadline. If the program has ended before, such a child is out of reach, and its output is no
 * longer read.
 */
final class ProcessGroup {

    private static final String SETSID = "/usr/bin/setsid";

    /**
     * Starts the program when it is told to, and ends if this process dies before that. The program can also read its
     * own output. Otherwise SIGPIPE would kill it at its next write after the end of this process.
     */
    private static final List<String> GATE =
            List.of(SETSID, "/bin/sh", "-c", "read -r go && exec \"$@\" </dev/null 3<>/proc/self/fd/1", "edgeplug");

    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final Duration LAST_OUTPUT = Duration.ofMillis(200);

    private final Process leader;

    private ProcessGroup(Process leader) {
        this.leader = leader;
    }

    /** See {@link Supervisor#run}. */
    static Supervisor.End run(Program program, Consumer<String> lines, Supervisor.Witness witness)
            throws IOException, TimeoutException, InterruptedException {
        List<String> command = new ArrayList<>(GATE);
        command.addAll(program.argv());
        GroupSignals.load();
        try (OutputPipe output = OutputPipe.open(lines)) {
            ProcessBuilder builder = new ProcessBuilder(command)
                    .directory(Path.of("/").toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.to(output.file()));
            builder.environment().clear();
            builder.environment().putAll(program.environment());
            ProcessGroup group = new ProcessGroup(builder.start());
            GroupIdentity identity = group.begin(witness);
            try {
                output.begin();
                int status = group.awaitEnd(program);
                output.awaitEnd(LAST_OUTPUT);
                return new Supervisor.End(status, Optional.empty(), output.first(), output.last());
            } finally {
                if (!identity.isAlive()) {
                    witness.ended();
                }
            }
        }
    }

    private GroupIdentity begin(Supervisor.Witness witness) throws IOException {
        boolean begun = false;
        try (OutputStream gate = leader.getOutputStream()) {
            GroupIdentity identity = GroupIdentity.of(leader);
            witness.begins(identity);
            gate.write('\n');
            gate.flush();
            begun = true;
            return identity;
        } finally {
            if (!begun) {
                kill();
            }
        }
    }

    private int awaitEnd(Program program) throws TimeoutException, InterruptedException {
        try {
            if (!leader.waitFor(program.deadline().toNanos(), TimeUnit.NANOSECONDS)) {
                List<ProcessHandle> all = leader.descendants().toList();
                signal(GroupSignals.SIGTERM);
                leader.waitFor(GRACE.toNanos(), TimeUnit.NANOSECONDS);
                all.forEach(ProcessHandle::destroyForcibly);
                kill();
                throw new TimeoutException(program.tookTooLong());
            }
            // This kills children that it left behind. Nobody else gets the number of a group that still has members.
            signal(GroupSignals.SIGKILL);
            return leader.exitValue();
        } catch (InterruptedException e) {
            kill();
            throw e;
        }
    }

    /** Also kills those that have left the session, and the leader itself, which may not have its session yet. */
    private void kill() {
        List<ProcessHandle> all = leader.descendants().toList();
        signal(GroupSignals.SIGKILL);
        leader.destroyForcibly();
        all.forEach(ProcessHandle::destroyForcibly);
    }

    private void signal(int signal) {
        GroupSignals.send(leader.pid(), signal);
    }
}
