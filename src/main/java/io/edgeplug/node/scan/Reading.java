package io.edgeplug.node.scan;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;

/**
 * A value that was read, and the problem with it.
 *
 * @param value a neutral value, such as an empty list, if it could not be read
 * @param problem empty if the value was read and has the right form
 */
record Reading<T>(T value, Optional<String> problem) {

    /** Reads a value from files. */
    interface Source<T> {
        T read() throws IOException;
    }

    /** Reads a source, with another value in case it cannot be read. */
    static <T> Reading<T> of(Source<T> source, T otherwise) {
        try {
            return new Reading<>(source.read(), Optional.empty());
        } catch (IOException e) {
            return new Reading<>(otherwise, Optional.of(String.valueOf(e.getMessage())));
        }
    }

    /** A value that follows from this one, with the same problem. */
    <R> Reading<R> map(Function<T, R> following) {
        return new Reading<>(following.apply(value), problem);
    }
}
