package io.edgeplug.linux;

import java.util.logging.ConsoleHandler;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Where log records go: a plain line each to stderr. */
public final class Journal {

    private static final Logger ROOT = Logger.getLogger("");
    private static final Logger OURS = Logger.getLogger("io.edgeplug");

    private Journal() {}

    /** Sends what is at least of {@code level} to stderr; of the libraries, warnings only. */
    public static void toStderr(Level level) {
        for (Handler handler : ROOT.getHandlers()) {
            ROOT.removeHandler(handler);
        }
        Handler stderr = new ConsoleHandler();
        stderr.setLevel(Level.ALL);
        stderr.setFormatter(new Line());
        ROOT.addHandler(stderr);
        ROOT.setLevel(Level.WARNING);
        OURS.setLevel(level);
    }

    private static final class Line extends Formatter {

        @Override
        public String format(LogRecord entry) {
            String mark = entry.getLevel().intValue() >= Level.WARNING.intValue() ? "warning: " : "";
            Throwable thrown = entry.getThrown();
            return mark + formatMessage(entry) + (thrown == null ? "" : ": " + thrown) + System.lineSeparator();
        }
    }
}
