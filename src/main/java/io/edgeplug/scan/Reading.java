package io.edgeplug.scan;

import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;

/**
 * What was read, and what was wrong with it.
 *
 * @param value what stands for nothing, such as an empty list, if it could not be read
 * @param problem empty if it was read and has the right form
 */
record Reading<T>(T value, Optional<String> problem) {

    /** Something that is read from files. */
    interface Source<T> {
        T read() throws IOException;
    }

    /** Reads a source; the other value stands for one that cannot be read. */
    static <T> Reading<T> of(Source<T> source, T otherwise) {
        try {
            return new Reading<>(source.read(), Optional.empty());
        } catch (IOException e) {
            return new Reading<>(otherwise, Optional.of(String.valueOf(e.getMessage())));
        }
    }

    /** What follows from the value, with the same problem. */
    <R> Reading<R> map(Function<T, R> following) {
        return new Reading<>(following.apply(value), problem);
    }
}
