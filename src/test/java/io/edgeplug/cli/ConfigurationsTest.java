package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What {@code check} prints of configurations as administrators write them, six that are right and sixteen that are not; {@code
 * -Dupdate} rewrites what is expected.
 */
final class ConfigurationsTest {

    private static final Path CONFIGURATIONS = Path.of("src/test/configurations");
    private static final Path MACHINES = Path.of("src/test/machines");
    private static final String MISTAKE = "mistake-";
    private static final Pattern NODE = Pattern.compile("# node: (\\S+)\n.*", Pattern.DOTALL);

    /** Whether a device is healthy is not the configuration's fault. */
    private static final Pattern GOOD =
            Pattern.compile("\\S+: kind \\w+, \\d+ devices? here, .*|note: \\S+: a device is unhealthy: .*|exit 0");

    @TempDir
    private Path directory = Path.of("");

    static List<String> configurations() throws IOException {
        try (Stream<Path> found = Files.list(CONFIGURATIONS)) {
            return found.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @MethodSource("configurations")
    void configurationIsCheckedAsExpected(String name) throws IOException {
        Path config = CONFIGURATIONS.resolve(name).resolve("edgeplug.toml");
        Matcher node = NODE.matcher(Files.readString(config));
        assertThat(node.matches()).isTrue();
        String tree = Files.readString(MACHINES.resolve(node.group(1)).resolve("tree"));
        String printed;
        try (SimulatedNode machine = SimulatedNode.unpack(tree, directory.resolve("node"))) {
            printed = check(config, machine.root());
        }

        Path expected = config.resolveSibling("check.txt");
        if (System.getProperty("update") != null) {
            Files.writeString(expected, printed);
        }
        assertThat(printed).isEqualTo(Files.readString(expected));
        assertThat(printed.lines().allMatch(line -> GOOD.matcher(line).matches()))
                .as(printed)
                .isEqualTo(!name.startsWith(MISTAKE));
    }

    @Test
    void thereAreSevenConfigurationsAndSeventeenMistakes() throws IOException {
        assertThat(configurations().stream().filter(name -> !name.startsWith(MISTAKE)))
                .hasSize(7);
        assertThat(configurations().stream().filter(name -> name.startsWith(MISTAKE)))
                .hasSize(17);
    }

    private static String check(Path config, Path root) {
        StringWriter out = new StringWriter();
        PrintWriter writer = new PrintWriter(out, true);
        int exit = Commands.commandLine()
                .setOut(writer)
                .setErr(writer)
                .execute("check", "--sysroot", root.toString(), "--config", config.toString());
        return (out + "exit " + exit + "\n").replace(config.toString(), "edgeplug.toml");
    }
}
