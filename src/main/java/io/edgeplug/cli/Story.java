package io.edgeplug.cli;

import io.edgeplug.linux.PlainText;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;

/** What happens, a line each, with the time since it began. */
final class Story {

    private final PrintStream out;
    private final Instant begun = Instant.now();

    Story(PrintStream out) {
        this.out = out;
    }

    void line(String text) {
        out.printf("%7.3f s  %s%n", Duration.between(begun, Instant.now()).toNanos() / 1e9, PlainText.of(text));
    }

    /** More of the line before. */
    void detail(String text) {
        out.println("             " + PlainText.of(text));
    }

    /** A line that ends with how long it took from {@code since}. */
    void line(String text, Instant since) {
        line("%s, after %.1f ms"
                .formatted(text, Duration.between(since, Instant.now()).toNanos() / 1e6));
    }
}
