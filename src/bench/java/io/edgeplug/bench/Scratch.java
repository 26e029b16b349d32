package io.edgeplug.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory that goes with all that is in it. */
record Scratch(Path directory) implements AutoCloseable {

    static Scratch make() throws IOException {
        return new Scratch(Files.createTempDirectory("edgeplug-bench"));
    }

    @Override
    public void close() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
