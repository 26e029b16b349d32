package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What {@code convert} makes of the configurations in {@code src/test/conversions}, each on its machine, and which devices
 * the classes take there; {@code -Dupdate} rewrites what is expected.
 */
final class ConversionsTest {

    private static final Path CONVERSIONS = Path.of("src/test/conversions");
    private static final Path MACHINES = Path.of("src/test/machines");
    private static final String MISTAKES = "mistakes-";
    private static final String LEFT_OUT = "edgeplug: left out: ";

    @TempDir
    private Path directory = Path.of("");

    static List<String> conversions() throws IOException {
        try (Stream<Path> found = Files.list(CONVERSIONS)) {
            return found.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    /** The file in which another plugin's configuration is. */
    static Path source(String conversion) throws IOException {
        try (Stream<Path> files = Files.list(CONVERSIONS.resolve(conversion))) {
            return files.filter(file -> file.getFileName().toString().startsWith("source."))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @ParameterizedTest
    @MethodSource("conversions")
    void configurationIsConvertedAsExpected(String name) throws IOException {
        Path source = source(name);
        String machine = Files.readString(source.resolveSibling("machine")).strip();
        Console console = new Console();
        try (SimulatedNode node = SimulatedNode.unpack(
                Files.readString(MACHINES.resolve(machine).resolve("tree")), directory.resolve("node"))) {
            int exit = console.execute("convert", "--sysroot", node.root().toString(), source.toString());
            String printed = console.text().replace(source.toString(), "FILE");

            assertThat(exit).as(printed).isEqualTo(name.startsWith(MISTAKES) ? ExitCode.CONFIG : ExitCode.OK);
            if (exit == ExitCode.CONFIG) {
                assertExpected(source.resolveSibling("mistakes.txt"), printed);
            } else {
                Path config = source.resolveSibling("class.toml");
                assertExpected(config, lines(printed, line -> !line.startsWith(LEFT_OUT)));
                String leftOut = lines(printed, line -> line.startsWith(LEFT_OUT));
                if (!leftOut.isEmpty()) {
                    assertExpected(source.resolveSibling("left-out.txt"), leftOut);
                }
                assertExpected(source.resolveSibling("list.txt"), advertised(node.root(), config));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"generic-usb", "akri-udev"})
    void checkHasNothingToSayOfConvertedUsbDevices(String name) throws IOException {
        Path config = CONVERSIONS.resolve(name).resolve("class.toml");
        Console console = new Console();
        try (SimulatedNode node = SimulatedNode.unpack(
                Files.readString(MACHINES.resolve("usb-hub").resolve("tree")), directory.resolve("node"))) {
            int exit = console.execute("check", "--sysroot", node.root().toString(), "--config", config.toString());

            assertThat(exit).isZero();
            assertThat(console.text()).doesNotContain("note:", "warning:");
        }
    }

    private static String lines(String text, Predicate<String> isWanted) {
        return text.lines().filter(isWanted).map(line -> line + "\n").collect(Collectors.joining());
    }

    @Test
    void fileThatIsTooLargeOrNestedOrRepeatsItselfIsToldInALine() throws IOException {
        assertThat(refused("{\"resourceList\": " + "[".repeat(100_000)))
                .isEqualTo("edgeplug: FILE: line 1: is nested more than 32 deep\n");
        assertThat(refused("a: &a [x, x]\nb: &b [*a, *a]\n"))
                .isEqualTo("edgeplug: FILE: line 2: has an alias (*): write the value itself\n");
        assertThat(refused(" ".repeat((1 << 20) + 1)))
                .isEqualTo("edgeplug: FILE: is larger than the 1 MiB that are read of it\n");
        assertThat(refused("{\"resourceList\": [}")).startsWith("edgeplug: FILE: line 1: is neither JSON nor YAML: ");
        assertThat(refused("")).isEqualTo("edgeplug: FILE: is empty\n");
        assertThat(refused("x")).startsWith("edgeplug: FILE: line 1: is no configuration of sriov-");
    }

    private String refused(String text) throws IOException {
        Path file = Files.writeString(directory.resolve("source"), text);
        Files.createDirectories(directory.resolve("root/sys"));
        Console console = new Console();

        int exit = console.execute(
                "convert", "--sysroot", directory.resolve("root").toString(), file.toString());

        assertThat(exit).isNotZero();
        return console.text().replace(file.toString(), "FILE");
    }

    private static String advertised(Path root, Path config) {
        StringWriter out = new StringWriter();
        int exit = Commands.commandLine()
                .setOut(new PrintWriter(out))
                .execute("list", "--advertised", "--sysroot", root.toString(), "--config", config.toString());
        assertThat(exit).isZero();
        return out.toString();
    }

    private static void assertExpected(Path expected, String actual) throws IOException {
        if (System.getProperty("update") != null) {
            Files.writeString(expected, actual);
        }
        assertThat(actual).isEqualTo(Files.readString(expected));
    }
}
