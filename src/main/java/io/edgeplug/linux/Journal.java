package io.edgeplug.linux;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Where log records go: with their fields to systemd's journal where that reads stderr, elsewhere a plain line each to
 * stderr, which on a terminal begins with the time and the level.
 *
 * <p>A record's fields are what it was logged with, as in {@code LOG.log(Level.INFO, text, Journal.device(id))}; its
 * text is taken as it is, without placeholders.
 */
public final class Journal {

    private static final Path SOCKET = Path.of("/run/systemd/journal/socket");
    private static final Path STDERR = Path.of("/proc/self/fd/2");

    private static final Logger ROOT = Logger.getLogger("");
    private static final Logger OURS = Logger.getLogger("io.edgeplug");

    private Journal() {}

    /**
     * What a record is about, which {@code journalctl FIELD=VALUE} finds it by.
     *
     * @param name of capital letters, digits and underscores; see systemd.journal-fields(7)
     */
    public record Field(String name, String value) {}

    /** A field that names a resource, as {@code example.com/gopher}. */
    public static Field resource(Object name) {
        return new Field("RESOURCE", name.toString());
    }

    /** A field that names a device by its ID. */
    public static Field device(String id) {
        return new Field("DEVICE", id);
    }

    /** Sends what is at least of {@code level} to stderr; of the libraries, warnings only. */
    public static void toStderr(Level level) {
        sendTo(stderr(), level);
    }

    /** Sends what is at least of {@code level} to the journal if it is what reads stderr, and else to stderr. */
    public static void open(Level level) {
        toStderr(level);
        if (isStderr(System.getenv().getOrDefault("JOURNAL_STREAM", ""))) {
            try {
                sendTo(JournalSocket.open(SOCKET, stderr()), level);
            } catch (IOException e) {
                OURS.warning("log lines have no fields: " + e.getMessage());
            }
        }
    }

    /** Changes what is worth a record. */
    public static void level(Level level) {
        OURS.setLevel(level);
    }

    private static void sendTo(Handler handler, Level level) {
        for (Handler other : ROOT.getHandlers()) {
            ROOT.removeHandler(other);
        }
        handler.setLevel(Level.ALL);
        ROOT.addHandler(handler);
        ROOT.setLevel(Level.WARNING);
        OURS.setLevel(level);
    }

    private static Handler stderr() {
        Handler stderr = new ConsoleHandler();
        stderr.setLevel(Level.ALL);
        stderr.setFormatter(Terminal.isStderr() ? new TerminalLine() : new Line());
        return stderr;
    }

    /** Whether stderr is the stream of that device and inode, as systemd.exec(5) tells of JOURNAL_STREAM. */
    static boolean isStderr(String stream) {
        try {
            return stream.equals(Files.getAttribute(STDERR, "unix:dev") + ":" + Files.getAttribute(STDERR, "unix:ino"));
        } catch (IOException e) {
            return false;
        }
    }

    /** The record's text, which is one line, whoever is quoted in it; one with fields has no placeholders, whatever braces the names of devices have. */
    static String text(LogRecord entry, Formatter formatter) {
        boolean hasFields = entry.getParameters() != null && entry.getParameters()[0] instanceof Field;
        String message = hasFields ? entry.getMessage() : formatter.formatMessage(entry);
        Throwable thrown = entry.getThrown();
        return PlainText.of(message + (thrown == null ? "" : ": " + thrown));
    }

    private static final class Line extends Formatter {

        @Override
        public String format(LogRecord entry) {
            String mark = entry.getLevel().intValue() >= Level.WARNING.intValue() ? "warning: " : "";
            return mark + text(entry, this) + System.lineSeparator();
        }
    }

    /** Not loaded by the service, which has no terminal. */
    private static final class TerminalLine extends Formatter {

        private static final DateTimeFormatter TIME =
                DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneId.systemDefault());

        @Override
        public String format(LogRecord entry) {
            return "%s %-7s %s%n"
                    .formatted(TIME.format(entry.getInstant()), level(entry.getLevel()), text(entry, this));
        }

        /** As the configuration says it. */
        private static String level(Level level) {
            int value = level.intValue();
            return value >= Level.SEVERE.intValue()
                    ? "error"
                    : value >= Level.WARNING.intValue() ? "warning" : value >= Level.INFO.intValue() ? "info" : "debug";
        }
    }
}
