package io.edgeplug.cli.options;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.cli.Commands;
import io.edgeplug.system.files.NeedsRoot;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ExitCodeTest {

    @TempDir
    private Path directory = Path.of("");

    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"check", "list", "run"})
    void wrongConfigurationExitsWith78AndALineForEachMistake(String command) throws IOException {
        Path config = Files.writeString(directory.resolve("edgeplug.toml"), "[[class]]\nresource = \"x\"\n");

        int exit = execute(command, "--config", config.toString());

        assertThat(exit).isEqualTo(78);
        assertThat(err.toString()).isEqualTo("""
                        edgeplug: %1$s: line 1: class 1 (x): kind: missing
                        edgeplug: %1$s: line 1: class 1 (x): match: missing: say in [class.match] which devices the class takes
                        edgeplug: %1$s: line 2: class 1 (x): resource: "x" needs a domain before its name, as in example.com/x
                        """.formatted(config));
    }

    @Test
    void missingConfigurationExitsWith78() {
        assertThat(execute("check", "--config", directory.resolve("none.toml").toString()))
                .isEqualTo(78);
        assertThat(err.toString()).isEqualTo("edgeplug: " + directory + "/none.toml: no such file\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"check", "list", "run"})
    @NeedsRoot("gives files to other users")
    void classesThatAnotherUserCouldWriteExitWith78(String command) throws IOException {
        Path config = Files.writeString(directory.resolve("edgeplug.toml"), "");
        Path classes = Files.createDirectory(directory.resolve("class.d"));
        Files.writeString(classes.resolve("a.toml"), """
                [[class]]
                resource = "example.com/x"
                kind = "vf"
                match = { vendors = ["8086"] }
                health = { command = ["/bin/sh", "-c", "id"] }
                """);
        Files.setAttribute(classes, "unix:uid", 65534);

        assertThat(execute(command, "--config", config.toString())).isEqualTo(78);
        assertThat(err.toString())
                .isEqualTo("edgeplug: " + classes + ": belongs to uid 65534, not to root; whoever can write the "
                        + "configuration can run commands as root\n");
    }

    @Test
    void deviceThatIsNotThereExitsWith1() throws IOException {
        Files.createDirectory(directory.resolve("sys"));
        assertThat(execute("list", "--sysroot", directory.toString(), "0000:3b:00.0"))
                .isEqualTo(1);
        assertThat(err.toString()).isEqualTo("edgeplug: 0000:3b:00.0: no such device here, and no resource with one\n");
    }

    @Test
    void nodeThatIsNotThereIsNoNodeWithoutDevices() {
        assertThat(execute("list", "--sysroot", directory + "/none")).isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo("edgeplug: " + directory + "/none: no such file or directory, so no node to look at\n");
    }

    /** As a directory with one node's files below it, or one of the machine's own. */
    @Test
    void directoryWithoutSysIsNoNodeWithoutDevices() {
        for (String command : List.of("list", "explain", "capture")) {
            err.getBuffer().setLength(0);
            assertThat(execute(command, "--sysroot", directory.toString())).isEqualTo(1);
            assertThat(err.toString())
                    .endsWith("edgeplug: " + directory
                            + ": has no directory sys, so it is no node; a node's root has one\n");
        }
    }

    @Test
    void wrongUsageExitsWith2() {
        assertThat(execute("list", "-o", "COLOUR")).isEqualTo(2);
        assertThat(execute("run", "--colour")).isEqualTo(2);
        assertThat(execute("fly")).isEqualTo(2);
    }

    @Test
    void daemonReadsItsPlainOptionsWithoutTheParser() {
        assertThat(RunOptions.parse(List.of("run", "--config=/a", "--kubelet-dir", "/b")))
                .contains(new RunOptions(Path.of("/a"), Optional.of(Path.of("/b")), Path.of("/")));
        assertThat(RunOptions.parse(List.of("run"))).isPresent();
        assertThat(RunOptions.parse(List.of("run", "--help"))).isEmpty();
        assertThat(RunOptions.parse(List.of("run", "--config"))).isEmpty();
        assertThat(RunOptions.parse(List.of("run", "--config", "--sysroot"))).isEmpty();
        assertThat(RunOptions.parse(List.of("list"))).isEmpty();
    }

    private int execute(String... args) {
        return Commands.commandLine().setErr(new PrintWriter(err, true)).execute(args);
    }
}
