package io.edgeplug.cli;

import io.edgeplug.linux.PlainText;
import io.edgeplug.linux.Terminal;
import java.io.PrintWriter;

/**
 * A line on a terminal that says what a person waits for, and is erased when that is done. It is not shown elsewhere. One
 * thread at a time.
 */
final class ProgressLine {

    /** Back to the first column, and erases the line. */
    private static final String ERASED = "\r\033[K";

    /** A longer line would go on in the next one, which is not erased. */
    private static final int MAX_LENGTH = 79;

    private final PrintWriter out;
    private final boolean isShown;
    private boolean isThere;

    ProgressLine(PrintWriter out, boolean isTerminal) {
        this.out = out;
        this.isShown = isTerminal;
    }

    static ProgressLine of(PrintWriter out) {
        return new ProgressLine(out, Terminal.isStdout());
    }

    /** Whether a person sees it. */
    boolean isShown() {
        return isShown;
    }

    /** Says this in place of what it said before. */
    void show(String text) {
        if (isShown) {
            String plain = PlainText.of(text);
            out.print(ERASED + plain.substring(0, Math.min(MAX_LENGTH, plain.length())));
            out.flush();
            isThere = true;
        }
    }

    /** Takes it away, before a line that stays is printed in its place. */
    void erase() {
        if (isThere) {
            out.print(ERASED);
            out.flush();
            isThere = false;
        }
    }
}
