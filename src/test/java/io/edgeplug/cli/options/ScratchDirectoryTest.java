package io.edgeplug.cli.options;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.cli.Main;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class ScratchDirectoryTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void commandThatAPersonEndsLeavesNoDirectory() throws Exception {
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-Djava.io.tmpdir=" + directory,
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "demo")
                // where a native library is unpacked to, if its process ends just then
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        try (BufferedReader lines =
                new BufferedReader(new InputStreamReader(demo.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(lines.readLine()).contains("node scanned");
            demo.destroy();
            assertThat(demo.waitFor(30, TimeUnit.SECONDS)).isTrue();
        }
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left.map(path -> path.getFileName().toString()).filter(name -> name.startsWith("edgeplug")))
                    .isEmpty();
        }
    }
}
