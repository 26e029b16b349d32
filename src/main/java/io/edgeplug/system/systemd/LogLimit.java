package io.edgeplug.system.systemd;

import java.time.Duration;
import java.util.Optional;

/** Limits the log lines of one source that could otherwise fill the log; thread-safe. */
public final class LogLimit {

    private final int most;
    private final long period;

    private long begun = System.nanoTime();
    private int lines;
    private long left;

    /** Allows {@code most} lines in each {@code period}. */
    public LogLimit(int most, Duration period) {
        this.most = most;
        this.period = period.toNanos();
    }

    /** The line to log, with the number of lines left out before it; empty if this one is left out. */
    public synchronized Optional<String> line(String text) {
        long now = System.nanoTime();
        if (now - begun >= period) {
            begun = now;
            lines = 0;
        }
        if (lines == most) {
            left++;
            return Optional.empty();
        }
        lines++;
        String more = left == 0 ? "" : ", … and " + left + " more before it";
        left = 0;
        return Optional.of(text + more);
    }
}
