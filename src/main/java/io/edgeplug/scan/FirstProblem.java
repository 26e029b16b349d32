package io.edgeplug.scan;

import java.util.Optional;

/** The first problem of several readings, which is the one that a device's health tells. */
final class FirstProblem {

    private Optional<String> text = Optional.empty();

    /** The value of a reading, the problem of which is kept if it is the first. */
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

    /** A value that was made of these readings. */
    <T> Reading<T> with(T value) {
        return new Reading<>(value, text);
    }
}
