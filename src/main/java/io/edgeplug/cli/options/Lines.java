package io.edgeplug.cli.options;

import com.google.gson.GsonBuilder;
import io.edgeplug.system.kernel.PlainText;
import java.io.PrintWriter;

/** The output of a command, line by line. A foreign name in it cannot control the terminal. */
public record Lines(PrintWriter out) {

    public void print(String line) {
        LongLines.onStdout(PlainText.of(line)).forEach(out::println);
    }

    /** Maps and lists as JSON, in several lines. Absent values are null. */
    public static String json(Object content) {
        return PlainText.ofJson(new GsonBuilder()
                .serializeNulls()
                .setPrettyPrinting()
                .disableHtmlEscaping()
                .create()
                .toJson(content));
    }

    public void flush() {
        out.flush();
    }
}
