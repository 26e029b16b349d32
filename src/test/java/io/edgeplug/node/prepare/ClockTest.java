package io.edgeplug.node.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Anybody may set the clock while a device is prepared, which a test cannot do; so this looks for calls that would notice. */
final class ClockTest {

    @Test
    void noWaitAndNoDurationIsMeasuredByTheClockThatPeopleSet() throws IOException {
        List<Path> sources;
        try (Stream<Path> files = Files.list(Path.of("src/main/java/io/edgeplug/node/prepare"))) {
            sources = files.filter(file -> file.toString().endsWith(".java")).toList();
        }
        assertThat(sources)
                .hasSizeGreaterThan(10)
                .allSatisfy(source -> assertThat(source)
                        .content()
                        .doesNotContain("Duration.between(", "Instant.now().plus(", "isBefore(Instant.now())"));
    }
}
