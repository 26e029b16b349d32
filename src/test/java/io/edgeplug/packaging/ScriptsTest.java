package io.edgeplug.packaging;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What all scripts of the tests keep to. */
final class ScriptsTest {

    /** Programs that end before they have read all, so that the one before them fails now and then, and {@code pipefail} tells of it. */
    private static final Pattern ENDS_EARLY = Pattern.compile("\\| *(grep +-[a-zA-Z]*[qm]|head\\b)");

    @Test
    void noPipeEndsWithAProgramThatMayEndFirst() throws IOException {
        List<String> found;
        try (Stream<Path> tests = Files.walk(Path.of("src/test"));
                Stream<Path> ci = Files.walk(Path.of(".ci"))) {
            found = Stream.concat(tests, ci)
                    .filter(Files::isRegularFile)
                    .filter(ScriptsTest::isOfAShell)
                    .flatMap(script -> text(script)
                            .lines()
                            .filter(line -> ENDS_EARLY.matcher(line).find())
                            .map(line -> script + ": " + line.strip()))
                    .toList();
        }

        assertThat(found).isEmpty();
    }

    /** A script that is read into another has no first line of its own, and often no ending in its name. */
    private static boolean isOfAShell(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(".sh") || (!name.contains(".") && !text(file).startsWith("#!/usr/bin/env python"));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw new IllegalStateException("cannot read " + file, e);
        }
    }
}
