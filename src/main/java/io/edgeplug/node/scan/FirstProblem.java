package io.edgeplug.node.scan;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Collects the first problem of several readings, which becomes the problem of the device. */
final class FirstProblem {

    private @Nullable String text;

    /** The value of a reading. Its problem is kept if it is the first one. */
    <T> T in(Reading<T> reading) {
        reading.problem().ifPresent(this::add);
        return reading.value();
    }

    void add(String problem) {
        if (text == null) {
            text = problem;
        }
    }

    Optional<String> text() {
        return Optional.ofNullable(text);
    }

    /** A value that was made from these readings, with their first problem. */
    <T> Reading<T> with(T value) {
        return new Reading<>(value, text());
    }
}
