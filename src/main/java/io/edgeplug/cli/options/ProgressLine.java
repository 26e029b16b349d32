package io.edgeplug.cli.options;

import io.edgeplug.system.kernel.PlainText;
import io.edgeplug.system.kernel.Terminal;
import java.io.PrintWriter;

/**
 * A line on a terminal that shows what is waited for, and is erased afterwards. It is shown only on a terminal. One
 * thread at a time.
 */
public final class ProgressLine {

    /** Moves to the first column, and erases the line. */
    private static final String ERASED = "\r\033[K";

    /** A longer line would be wrapped, and the second part would not be erased. */
    private static final int MAX_LENGTH = 79;

    private final PrintWriter out;
    private final boolean isShown;
    private boolean isThere;

    ProgressLine(PrintWriter out, boolean isTerminal) {
        this.out = out;
        this.isShown = isTerminal;
    }

    public static ProgressLine of(PrintWriter out) {
        return new ProgressLine(out, Terminal.isStdout());
    }

    /** Whether a person sees it. */
    public boolean isShown() {
        return isShown;
    }

    public void show(String text) {
        if (isShown) {
            String plain = PlainText.of(text);
            out.print(ERASED + plain.substring(0, Math.min(MAX_LENGTH, plain.length())));
            out.flush();
            isThere = true;
        }
    }

    /** Erases it before a permanent line is printed in its place. */
    public void erase() {
        if (isThere) {
            out.print(ERASED);
            out.flush();
            isThere = false;
        }
    }
}
