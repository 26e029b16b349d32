package io.edgeplug.cli.options;

import io.edgeplug.system.kernel.PlainText;
import java.io.PrintWriter;

/** The output of a command, line by line. A foreign name in it cannot control the terminal. */
public record Lines(PrintWriter out) {

    public void print(String line) {
        LongLines.onStdout(PlainText.of(line)).forEach(out::println);
    }

    public void flush() {
        out.flush();
    }
}
