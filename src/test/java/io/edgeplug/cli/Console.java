package io.edgeplug.cli;

import java.io.PrintWriter;
import java.io.StringWriter;

/** Runs commands and keeps what they print, to stdout and to stderr. */
public final class Console {

    private final StringWriter text = new StringWriter();

    public int execute(String... args) {
        return Commands.commandLine().setOut(writer()).setErr(writer()).execute(args);
    }

    public PrintWriter writer() {
        return new PrintWriter(text);
    }

    public String text() {
        return text.toString();
    }

    void clear() {
        text.getBuffer().setLength(0);
    }
}
