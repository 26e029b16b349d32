package io.edgeplug.api.kubelet;

import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What the daemon logs while this is open, instead of on the console. */
public final class LogLines extends Handler implements AutoCloseable {

    private static final Logger OURS = Logger.getLogger("io.edgeplug");

    private final Seen<Line> lines = new Seen<>();

    record Line(Level level, String text) {}

    public static LogLines open() {
        LogLines log = new LogLines();
        log.setFormatter(new SimpleFormatter());
        OURS.setLevel(Level.INFO);
        OURS.setUseParentHandlers(false);
        OURS.addHandler(log);
        return log;
    }

    @Override
    public void publish(LogRecord entry) {
        if (isLoggable(entry)) {
            lines.add(new Line(entry.getLevel(), getFormatter().formatMessage(entry)));
        }
    }

    List<String> warnings() {
        return lines.all().stream()
                .filter(line -> line.level().intValue() >= Level.WARNING.intValue())
                .map(Line::text)
                .toList();
    }

    /** All lines with that text in them, once there is one. */
    public List<String> await(String part) throws InterruptedException {
        lines.await(all -> all.stream().anyMatch(line -> line.text().contains(part)));
        return with(part);
    }

    public List<String> with(String part) {
        return lines.all().stream()
                .map(Line::text)
                .filter(text -> text.contains(part))
                .toList();
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        OURS.removeHandler(this);
        OURS.setUseParentHandlers(true);
        OURS.setLevel(null);
    }
}
