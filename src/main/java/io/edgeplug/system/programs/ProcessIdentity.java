package io.edgeplug.system.programs;

import java.util.Optional;

/**
 * A process. Its start time distinguishes it from a later process with the same number; see proc_pid_stat(5).
 *
 * @param pid its process ID
 * @param started when it was started, in ticks since the boot
 */
public record ProcessIdentity(long pid, long started) {

    /** This process. */
    public static ProcessIdentity own() {
        long pid = ProcessHandle.current().pid();
        return new ProcessIdentity(
                pid,
                GroupIdentity.Stat.read(pid).map(GroupIdentity.Stat::started).orElse(0L));
    }

    /** Reads what {@link #toString} has written; empty if the text is something else. */
    public static Optional<ProcessIdentity> parse(String text) {
        return text.matches("\\d{1,10} \\d{1,18}")
                ? Optional.of(new ProcessIdentity(
                        Long.parseLong(text.substring(0, text.indexOf(' '))),
                        Long.parseLong(text.substring(text.indexOf(' ') + 1))))
                : Optional.empty();
    }

    /** Whether it lives. A zombie does not. */
    public boolean isAlive() {
        return GroupIdentity.Stat.read(pid)
                .filter(stat -> stat.isRunning() && stat.started() == started)
                .isPresent();
    }

    @Override
    public String toString() {
        return pid + " " + started;
    }
}
