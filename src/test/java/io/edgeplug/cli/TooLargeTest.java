package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.PackageJvm;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.model.device.ResourceName;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is too much for the daemon, in its heap: {@code check} names the limit, and the daemon goes on. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class TooLargeTest {

    private static final ResourceName GOPHER = ResourceName.parse("example.com/gopher");

    private static final String CLASS = """
            [[class]]
            resource = "example.com/gopher"
            kind = "path"
            match = { paths = ["/etc/gophers/*"] }
            """;

    @TempDir
    private Path directory = Path.of("");

    private Path config = Path.of("");
    private Path gophers = Path.of("");

    @BeforeEach
    void setUp() throws IOException {
        config = Files.writeString(directory.resolve("edgeplug.toml"), """
                cdi_dir = "%1$s/cdi"
                device_info_dir = "%1$s/dp"
                """.formatted(directory) + CLASS);
        gophers = Files.createDirectories(directory.resolve("node/etc/gophers"));
        Files.createDirectories(directory.resolve("node/sys/bus/pci/devices"));
        Files.createFile(gophers.resolve("g0"));
    }

    private PackageJvm.End check(Path sysroot) throws Exception {
        return PackageJvm.run(Main.class, "check", "--sysroot", sysroot.toString(), "--config", config.toString());
    }

    private String[] daemon() {
        return new String[] {
            "run",
            "--config",
            config.toString(),
            "--sysroot",
            directory.resolve("node").toString(),
            "--kubelet-dir",
            directory.resolve("k").toString()
        };
    }

    @Test
    void sharesThatANodeHasNoRoomForAreRefusedWithTheLimit() throws Exception {
        Files.writeString(config, """
                [[class]]
                resource = "example.com/shared"
                kind = "vf"
                shares = 1000
                match = { drivers = ["*"] }
                """);

        PackageJvm.End end = check(Path.of("src/test/machines/pf-256-vfs/tree"));

        assertThat(end.exit()).as(end.output()).isEqualTo(78);
        assertThat(end.output())
                .endsWith("edgeplug: example.com/shared: shares: 1000 of each of 256 devices are too many: all classes "
                        + "of this node have 256000 shares, and may have 8192; with 32 they fit\n");
    }

    @Test
    void patternThatNamesTooManyFilesIsRefusedWithTheLimitAndTheDaemonGoesOn() throws Exception {
        for (int number = 0; number < 30_000; number++) {
            Files.createFile(gophers.resolve("gopher-with-a-name-of-usual-length-" + number));
        }
        String sentence = "/etc/gophers/*: with the files that it names, there are more than the 4096 that all classes "
                + "of a node may have; none of its files is listed\n";

        PackageJvm.End end = check(directory.resolve("node"));
        assertThat(end.exit()).as(end.output()).isEqualTo(78);
        assertThat(end.output()).endsWith("edgeplug: " + sentence);

        Process running = PackageJvm.start(Main.class, daemon());
        try (BufferedReader log = output(running)) {
            assertThat(until(log, "ready")).contains(sentence);
        } finally {
            running.destroyForcibly();
        }
    }

    @Test
    void reloadThatIsTooLargeChangesNothing() throws Exception {
        try (LocalKubelet kubelet = LocalKubelet.open(directory.resolve("k"), event -> {})) {
            Process running = PackageJvm.start(Main.class, daemon());
            try (BufferedReader log = output(running)) {
                kubelet.await(GOPHER, state -> state.allocatable() == 1, Duration.ofSeconds(30));
                Path classes = Files.createDirectory(directory.resolve("class.d"));
                for (int number = 0; number < 10_000; number++) {
                    Files.writeString(classes.resolve(number + ".toml"), CLASS.replace("gopher", "g" + number));
                }
                Files.writeString(config, "=\n".repeat(500_000));

                assertThat(new ProcessBuilder("kill", "-HUP", String.valueOf(running.pid()))
                                .start()
                                .waitFor())
                        .isZero();

                assertThat(until(log, "not taken up"))
                        .contains(config + ": is larger than the 64 KiB that a configuration file may have")
                        .contains(classes + ": has more than the 256 files of classes that are read");
                assertThat(kubelet.resource(GOPHER).allocatable()).isEqualTo(1);
                assertThat(running.isAlive()).isTrue();
            } finally {
                running.destroyForcibly();
            }
        }
    }

    private static BufferedReader output(Process process) {
        return new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** All lines until one with that text. */
    private static String until(BufferedReader log, String text) throws IOException {
        StringBuilder read = new StringBuilder();
        String line = log.readLine();
        while (line != null && !line.contains(text)) {
            read.append(line).append('\n');
            line = log.readLine();
        }
        assertThat(line).as("%s", read).isNotNull();
        return read.toString();
    }
}
