package io.edgeplug.system.programs;

import io.edgeplug.system.flow.Deadline;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A process group with a session of its own. The start time of its leader distinguishes it from a later group with the
 * same number; see proc_pid_stat(5). It can be written to a file for another process to look for.
 *
 * <p>The kernel does not reuse the number of a group while the group has a member.
 *
 * @param number the process ID of its leader
 * @param started when the leader was started, in ticks since the boot
 * @param boot the ID of that boot; empty if the kernel does not show it, as in a service that sees only processes in
 *     /proc
 */
public record GroupIdentity(long number, long started, Optional<String> boot) implements RunningProgram {

    private static final Path PROC = Path.of("/proc");
    private static final Path BOOT_ID = PROC.resolve("sys/kernel/random/boot_id");
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    public GroupIdentity {
        if (number < 2 || number > Integer.MAX_VALUE || started < 0) {
            throw new IllegalArgumentException(number + " is no process group of ours");
        }
    }

    /** The group that a child process is about to lead. */
    static GroupIdentity of(Process leader) throws IOException {
        long started = Stat.read(leader.pid())
                .map(Stat::started)
                .orElseThrow(() -> new IOException("it has ended before it began"));
        return new GroupIdentity(leader.pid(), started, bootId());
    }

    /** A zombie does not count as alive. */
    @Override
    public boolean isAlive() {
        return !members().isEmpty();
    }

    @Override
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        Deadline end = Deadline.in(timeout);
        List<Long> members = members();
        while (!members.isEmpty() && !end.isOver()) {
            await(members.getFirst(), Math.min(end.left().toNanos(), LOOK_NANOS));
            members = members();
        }
        return members.isEmpty();
    }

    @Override
    public boolean end() throws InterruptedException {
        signal(GroupSignals.SIGTERM);
        if (!awaitEnd(GRACE)) {
            signal(GroupSignals.SIGKILL);
        }
        return awaitEnd(GRACE);
    }

    @Override
    public String text() {
        return "process group " + number;
    }

    private void signal(int signal) {
        if (isAlive()) {
            GroupSignals.send(number, signal);
        }
    }

    /** Polls, because the JDK cannot wait for the end of a process that is no child. */
    private static void await(long pid, long nanos) throws InterruptedException {
        Optional<ProcessHandle> process = ProcessHandle.of(pid);
        if (process.isEmpty()) {
            return;
        }
        try {
            process.orElseThrow().onExit().get(nanos, TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            // The caller looks again.
            return;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<Long> members() {
        Optional<String> now = bootId();
        if (boot.isPresent() && now.isPresent() && !boot.equals(now)) {
            return List.of();
        }
        Optional<Stat> leader = Stat.read(number);
        if (leader.isPresent() && leader.orElseThrow().started() != started) {
            return List.of();
        }
        if (leader.filter(Stat::isRunning).isPresent()) {
            return List.of(number);
        }
        // The leader has ended, and may have left children.
        List<Long> members = new ArrayList<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                Stat.read(Long.parseLong(process.getFileName().toString()))
                        .filter(this::isMember)
                        .ifPresent(stat -> members.add(stat.pid()));
            }
        } catch (IOException | DirectoryIteratorException | NumberFormatException e) {
            // Without /proc no process is visible.
            return members;
        }
        return members;
    }

    private boolean isMember(Stat stat) {
        return stat.isRunning() && stat.group() == number && stat.session() == number && stat.started() >= started;
    }

    private static Optional<String> bootId() {
        try {
            return Optional.of(Files.readString(BOOT_ID).strip());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** The kernel's data about a process. */
    record Stat(long pid, String state, long group, long session, long started) {

        // The fields are counted from the one after the name, which may contain spaces and parentheses.
        private static final int STATE = 0;
        private static final int GROUP = 2;
        private static final int SESSION = 3;
        private static final int STARTED = 19;

        static Optional<Stat> read(long pid) {
            try {
                String text = Files.readString(PROC.resolve(pid + "/stat"));
                String[] fields =
                        text.substring(text.lastIndexOf(')') + 1).strip().split(" ", -1);
                return Optional.of(new Stat(
                        pid,
                        fields[STATE],
                        Long.parseLong(fields[GROUP]),
                        Long.parseLong(fields[SESSION]),
                        Long.parseLong(fields[STARTED])));
            } catch (IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
                // The process has ended.
                return Optional.empty();
            }
        }

        boolean isRunning() {
            return !state.equals("Z") && !state.equals("X");
        }
    }
}
