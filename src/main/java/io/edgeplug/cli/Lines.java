package io.edgeplug.cli;

import io.edgeplug.linux.PlainText;
import java.io.PrintWriter;

/** The output of a command, line by line. A foreign name in it cannot control the terminal. */
record Lines(PrintWriter out) {

    void print(String line) {
        LongLines.onStdout(PlainText.of(line)).forEach(out::println);
    }

    void flush() {
        out.flush();
    }
}
