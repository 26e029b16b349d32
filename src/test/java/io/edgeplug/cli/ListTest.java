package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonParser;
import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.cli.devices.Column;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The real {@code list} on each machine of {@code src/test/machines}; {@code -Dupdate} rewrites what is expected. */
final class ListTest {

    @TempDir
    private Path root = Path.of("");

    @ParameterizedTest
    @MethodSource("io.edgeplug.api.kubelet.Machine#names")
    void machineIsListedAsExpected(String machine) throws IOException {
        assertExpected(machine, "list.txt", list(machine));
    }

    @ParameterizedTest
    @MethodSource("io.edgeplug.api.kubelet.Machine#names")
    void jsonHasTheSameRows(String machine) throws IOException {
        String json = list(machine, "-J");

        assertExpected(machine, "list.json", json);
        JsonArray devices = JsonParser.parseString(json).getAsJsonObject().getAsJsonArray("devices");
        List<String> ids = devices.asList().stream()
                .map(device -> device.getAsJsonObject().get("device").getAsString())
                .toList();
        assertThat(ids).isEqualTo(list(machine, "-n", "-o", "device").lines().toList());
    }

    @Test
    void resourceAndAddressChooseRows() throws IOException {
        assertThat(list("vfio-bound", "-n", "-o", "DEVICE", "intel.com/x710_dpdk", "0000:5e:00.0")
                        .lines())
                .containsExactly("0000:5e:00.0", "0000:5e:02.0", "0000:5e:02.1");
    }

    @Test
    void devicesAreListedWhereNoClassIsDefinedYet() throws IOException {
        Path config = Files.writeString(root.resolve("edgeplug.toml"), "#[[class]]\n");

        assertThat(listWith(config, "vfio-bound", "-n", "-o", "DEVICE,RESOURCE", "0000:5e:02.0"))
                .isEqualTo("0000:5e:02.0  -\n");
    }

    @Test
    void columnsCanBeAdded() throws IOException {
        assertThat(list("vfio-bound", "-o", "+IOMMU,PF").lines().findFirst().orElseThrow())
                .startsWith("DEVICE ")
                .containsPattern("HEALTH +IOMMU +PF$");
    }

    @Test
    void helpTellsEveryColumnWithinEightyCharacters() {
        String help = Objects.requireNonNull(
                        Commands.commandLine().getSubcommands().get("list"))
                .getUsageMessage();

        assertThat(help.lines()).allMatch(line -> line.length() <= 80);
        for (Column column : Column.values()) {
            assertThat(help).contains("\n  " + column.name() + " ");
        }
    }

    private String list(String machine, String... more) throws IOException {
        return listWith(Machine.file(machine, "class.toml"), machine, more);
    }

    private String listWith(Path config, String machine, String... more) throws IOException {
        Path node = Files.createTempDirectory(root, machine);
        StringWriter out = new StringWriter();
        try (SimulatedNode unpacked = SimulatedNode.unpack(Files.readString(Machine.file(machine, "tree")), node)) {
            String[] args = Stream.concat(
                            Stream.of("list", "--sysroot", unpacked.root().toString(), "--config", config.toString()),
                            Stream.of(more))
                    .toArray(String[]::new);
            int exit = Commands.commandLine().setOut(new PrintWriter(out)).execute(args);
            assertThat(exit).isZero();
        }
        return out.toString();
    }

    private static void assertExpected(String machine, String file, String actual) throws IOException {
        Path expected = Machine.file(machine, file);
        if (System.getProperty("update") != null) {
            Files.writeString(expected, actual);
        }
        assertThat(actual).isEqualTo(Files.readString(expected));
    }
}
