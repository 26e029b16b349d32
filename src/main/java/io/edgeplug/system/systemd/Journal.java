package io.edgeplug.system.systemd;

import io.edgeplug.system.kernel.PlainText;
import io.edgeplug.system.kernel.Terminal;
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
import java.util.regex.Pattern;

/**
 * Sends log records with their fields to systemd's journal if the journal reads stderr. Otherwise prints each as a
 * plain line to stderr, which on a terminal begins with the time and the level.
 *
 * <p>A record's fields are the parameters it was logged with, as in
 * {@code LOG.log(Level.INFO, text, Journal.device(id))}. Its text is taken as it is, without placeholders.
 */
public final class Journal {

    private static final Path SOCKET = Path.of("/run/systemd/journal/socket");
    private static final Path STDERR = Path.of("/proc/self/fd/2");

    /** What the ID of a share has after that of its device. */
    private static final Pattern SHARE = Pattern.compile("::\\d+$");

    private static final int ERROR = 3;
    private static final int WARNING = 4;
    private static final int INFO = 6;
    private static final int DEBUG = 7;

    private static final Logger ROOT = Logger.getLogger("");
    private static final Logger OURS = Logger.getLogger("io.edgeplug");

    private Journal() {}

    /**
     * A field of a record, by which {@code journalctl FIELD=VALUE} finds it.
     *
     * @param name of capital letters, digits and underscores; see systemd.journal-fields(7)
     */
    public record Field(String name, String value) {}

    /** A field with the name of a resource, such as {@code example.com/gopher}. */
    public static Field resource(Object name) {
        return new Field("RESOURCE", name.toString());
    }

    /** A field with the ID of a device. That of a share is found as its device, whose other lines have no share. */
    public static Field device(String id) {
        return new Field("DEVICE", SHARE.matcher(id).replaceFirst(""));
    }

    /** Sends records of {@code level} and above to stderr, but of libraries only warnings. */
    public static void toStderr(Level level) {
        sendTo(stderr(), level);
    }

    /** Sends records of {@code level} and above to the journal if it reads stderr, and otherwise to stderr. */
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

    /**
     * What makes a line on stderr an error in the journal, if the journal reads stderr; see sd-daemon(3). It is for a
     * process that ends before it has opened the journal.
     */
    public static String errorMark() {
        return isStderr(System.getenv().getOrDefault("JOURNAL_STREAM", "")) ? "<3>" : "";
    }

    /** Changes the least level that is logged. */
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

    /** Whether stderr has that device and inode, which JOURNAL_STREAM contains by systemd.exec(5). */
    static boolean isStderr(String stream) {
        try {
            return stream.equals(Files.getAttribute(STDERR, "unix:dev") + ":" + Files.getAttribute(STDERR, "unix:ino"));
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * The record's text as one line, whatever text it quotes. A record with fields has no placeholders, whatever braces
     * names of devices have.
     */
    static String text(LogRecord entry, Formatter formatter) {
        boolean hasFields = entry.getParameters() != null && entry.getParameters()[0] instanceof Field;
        String message = hasFields ? entry.getMessage() : formatter.formatMessage(entry);
        Throwable thrown = entry.getThrown();
        return PlainText.of(message + (thrown == null ? "" : ": " + thrown));
    }

    /** The priority of a level in syslog(3). */
    static int priority(Level level) {
        int value = level.intValue();
        if (value >= Level.SEVERE.intValue()) {
            return ERROR;
        }
        if (value >= Level.WARNING.intValue()) {
            return WARNING;
        }
        return value >= Level.INFO.intValue() ? INFO : DEBUG;
    }

    private static final class Line extends Formatter {
        @Override
        public String format(LogRecord entry) {
            int priority = priority(entry.getLevel());
            String mark = priority == ERROR ? "error: " : priority == WARNING ? "warning: " : "";
            return mark + text(entry, this) + System.lineSeparator();
        }
    }

    /** The service does not load this class, because it has no terminal. */
    private static final class TerminalLine extends Formatter {

        private static final DateTimeFormatter TIME =
                DateTimeFormatter.ofPattern("HH:mm:ss.SSS", Locale.ROOT).withZone(ZoneId.systemDefault());

        @Override
        public String format(LogRecord entry) {
            String level = switch (priority(entry.getLevel())) {
                case ERROR -> "error";
                case WARNING -> "warning";
                case INFO -> "info";
                default -> "debug";
            };
            return "%s %-7s %s%n".formatted(TIME.format(entry.getInstant()), level, text(entry, this));
        }
    }
}
