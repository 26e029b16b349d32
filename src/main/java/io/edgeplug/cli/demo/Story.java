package io.edgeplug.cli.demo;

import io.edgeplug.system.kernel.PlainText;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;

/** Prints each event as a line, with the time since the beginning. */
final class Story {

    private final PrintStream out;
    private final Instant begun = Instant.now();

    Story(PrintStream out) {
        this.out = out;
    }

    void line(String text) {
        out.printf("%7.3f s  %s%n", Duration.between(begun, Instant.now()).toNanos() / 1e9, PlainText.of(text));
    }

    /** A detail of the line before. */
    void detail(String text) {
        out.println("             " + PlainText.of(text));
    }

    /** A line that ends with the duration since {@code since}. */
    void line(String text, Instant since) {
        line("%s, after %.1f ms"
                .formatted(text, Duration.between(since, Instant.now()).toNanos() / 1e6));
    }
}
