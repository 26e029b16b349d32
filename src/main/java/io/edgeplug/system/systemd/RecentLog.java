package io.edgeplug.system.systemd;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Keeps the last lines of the log while this is open, besides their normal way; thread-safe. */
public final class RecentLog implements AutoCloseable {

    private static final int KEPT = 10;

    private static final Logger OURS = Logger.getLogger("io.edgeplug");

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private final Handler handler = new Keeping();

    // The fields below are guarded by this.
    private final Deque<Line> lines = new ArrayDeque<>();

    private RecentLog() {}

    /** A line, as it was logged. */
    public record Line(Instant time, boolean isWarning, String text) {}

    /** Begins. */
    public static RecentLog open() {
        RecentLog log = new RecentLog();
        OURS.addHandler(log.handler);
        return log;
    }

    /** Runs the listener after each line, on the thread that logs it. It must return at once, and log nothing. */
    public void addListener(Runnable listener) {
        listeners.add(listener);
    }

    /** Ends that. */
    public void removeListener(Runnable listener) {
        listeners.remove(listener);
    }

    /** The last lines of the level INFO and above, the oldest first. */
    public synchronized List<Line> lines() {
        return List.copyOf(lines);
    }

    private synchronized void keep(Line line) {
        if (lines.size() == KEPT) {
            lines.removeFirst();
        }
        lines.addLast(line);
    }

    private final class Keeping extends Handler {

        Keeping() {
            setLevel(Level.INFO);
            setFormatter(new SimpleFormatter());
        }

        @Override
        public void publish(LogRecord entry) {
            if (isLoggable(entry)) {
                boolean isWarning = entry.getLevel().intValue() >= Level.WARNING.intValue();
                keep(new Line(entry.getInstant(), isWarning, Journal.text(entry, getFormatter())));
                listeners.forEach(Runnable::run);
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Override
    public void close() {
        OURS.removeHandler(handler);
    }
}
