package io.edgeplug.node.scan;

import java.util.Optional;

/** Collects the first problem of several readings, which becomes the problem of the device. */
final class FirstProblem {

    private Optional<String> text = Optional.empty();

    /** The value of a reading. Its problem is kept if it is the first one. */
    <T> T in(Reading<T> reading) {
        text = text.or(reading::problem);
        return reading.value();
    }

    void add(String problem) {
        text = text.or(() -> Optional.of(problem));
    }

    Optional<String> text() {
        return text;
    }

    /** A value that was made from these readings, with their first problem. */
    <T> Reading<T> with(T value) {
        return new Reading<>(value, text);
    }
}
