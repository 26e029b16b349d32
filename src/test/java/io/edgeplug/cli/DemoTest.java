package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code demo} tells, as a process of its own. */
@Timeout(120)
final class DemoTest {

    private static final Pattern SHOWN = Pattern.compile("(?ms)^```text\n( *\\d+\\.\\d{3} s  .*?)^```$");

    @TempDir
    private Path directory = Path.of("");

    @Test
    void demoTellsItsStoryToTheEnd() throws Exception {
        Process demo = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "--sun-misc-unsafe-memory-access=allow",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName(),
                        "demo")
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        List<String> lines;
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(demo.getInputStream(), StandardCharsets.UTF_8))) {
            lines = out.lines().map(DemoTest::withoutTimes).toList();
        } finally {
            demo.destroy();
        }
        assertThat(demo.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(demo.exitValue()).as(String.join("\n", lines)).isZero();

        assertThat(lines)
                .containsSubsequence(
                        "node scanned: 11 PCI functions, 2 files",
                        "resources registered:",
                        "example.com/fpga-codec = 1  0000:5e:00.0",
                        "example.com/fpga-crypto = 1  0000:5e:00.0",
                        "pod allocated, its container gets:",
                        "container started, once its VF was reset",
                        "kubelet restarted: it has all 5 resources again",
                        "pod ended: nobody holds the VF any more, so it leaves the list",
                        "pod encrypt started, once the FPGA was programmed as example.com/fpga-crypto",
                        "the FPGA says: crypto engine",
                        "no other pod gets it: the kubelet has example.com/fpga-codec = 0",
                        "pod encrypt ended: the FPGA is scrubbed, and both resources have it again",
                        "the FPGA says: blank image, without any logic",
                        "pod stream started, once the FPGA was programmed as example.com/fpga-codec",
                        "the FPGA says: codec, for video streams",
                        "done: the kubelet saw every step");
        for (String page : List.of("docs/start.md", "docs/faces.md")) {
            assertThat(lines).as(page).containsSubsequence(shown(page));
        }
        assertThat(lines)
                .anyMatch(line -> line.startsWith("0000:5e:00.0 is held as example.com/fpga-crypto by ")
                        && line.contains("encrypt"));
    }

    /** The lines of the demo that a page shows, from the first that has a time. */
    private static List<String> shown(String page) throws IOException {
        Matcher block = SHOWN.matcher(Files.readString(Path.of(page)));
        assertThat(block.find()).as(page).isTrue();
        return block.group(1).lines().map(DemoTest::withoutTimes).toList();
    }

    private static String withoutTimes(String line) {
        return line.strip().replaceFirst("^[\\d.]+ s  ", "").replaceFirst(", after [\\d.]+ ms$", "");
    }
}
