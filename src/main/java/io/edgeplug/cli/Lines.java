package io.edgeplug.cli;

import io.edgeplug.linux.PlainText;
import java.io.PrintWriter;

/** Where a command prints, a line at a time, in which a name from outside cannot make a terminal do anything. */
record Lines(PrintWriter out) {

    void print(String line) {
        LongLines.onStdout(PlainText.of(line)).forEach(out::println);
    }

    void flush() {
        out.flush();
    }
}
