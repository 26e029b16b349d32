package io.edgeplug.node.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.PackageJvm;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.FileKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of others beside edgeplug's specifications, of whatever kind and content, read in the daemon's heap. */
@Timeout(120)
final class CdiRivalsTest {

    private static final ResourceName DPU = ResourceName.parse("example.com/dpu");
    private static final String OWN = "edgeplug_example.com_dpu.json";
    private static final String RIVAL =
            "{\"cdiVersion\":\"0.5.0\",\"devices\":[{\"name\":\"a\"},{\"name\":\"z\"}],\"kind\":\"example.com/dpu\"}";

    @TempDir
    private Path directory = Path.of("");

    private Path cdi = Path.of("");

    /** Keeps a specification of the devices a and b, and prints what stands in their way. */
    static final class Keeper {

        private Keeper() {}

        public static void main(String[] args) {
            CdiSpecs specs = new CdiSpecs(Path.of(args[0]), DPU, device -> Optional.empty());
            System.out.println("problems: " + specs.keep(List.of(equipment("a"), equipment("b"))));
            specs.unread().forEach(System.out::println);
        }

        private static Equipment equipment(String id) {
            Device device = new PathDevice(
                    id,
                    List.of(new PathDevice.File(
                            "/dev/" + id,
                            Optional.of(
                                    new Destination("/dev/" + id, FileKind.CHARACTER_DEVICE, 0, 0, "", List.of())))),
                    Optional.empty(),
                    Health.HEALTHY);
            return Equipment.of(
                    DeviceClass.of(DPU, Kind.PATH, new Selector(Map.of())), device, IommuGroups.of(List.of(device)));
        }
    }

    @BeforeEach
    void makeDirectory() throws IOException {
        cdi = Files.createDirectory(directory.resolve("cdi"));
    }

    private String[] kept() throws Exception {
        PackageJvm.End end = PackageJvm.run(Keeper.class, cdi.toString());
        assertThat(end.exit()).as(end.output()).isZero();
        assertThat(cdi.resolve(OWN)).content().contains("\"b\"");
        return end.output().split("\n", -1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "7",
                "[]",
                "{}",
                "{\"kind\":null}",
                "{\"kind\":{}}",
                "{\"kind\":[\"example.com/dpu\"]}",
                "{\"kind\":\"example.com/dpu\",\"devices\":[{}]}",
                "{\"kind\":\"example.com/dpu\",\"devices\":[null]}",
                "{\"kind\":\"example.com/dpu\",\"devices\":[{\"name\":null}]}",
                "{\"kind\":\"example.com/dpu\",\"devices\":{}}",
                "{\"kind\":\"example.com/dpu\",\"devices\":[{\"name\":\"a\"}]} more",
            })
    void fileThatIsNoSpecificationIsALine(String content) throws Exception {
        Files.writeString(cdi.resolve("x.json"), content);

        assertThat(kept()).containsExactly("problems: {}", cdi + "/x.json: is no CDI specification", "");
    }

    @Test
    void nestingWithoutAnEndIsALine() throws Exception {
        Files.writeString(cdi.resolve("x.json"), "{\"x\":" + "[".repeat(500_000));
        Files.writeString(cdi.resolve("x.yaml"), "{x: " + "{x: ".repeat(200_000));

        assertThat(kept())
                .containsExactlyInAnyOrder(
                        "problems: {}",
                        cdi + "/x.json: is no CDI specification",
                        cdi + "/x.yaml: is no CDI specification",
                        "");
    }

    @Test
    void fileThatIsTooLargeIsALine() throws Exception {
        Files.writeString(cdi.resolve("x.json"), "{\"x\":[" + "{},".repeat(1_000_000) + "{}]}");

        assertThat(kept())
                .containsExactly("problems: {}", cdi + "/x.json: is larger than the 1 MiB that are read of it", "");
    }

    @Test
    void wordThatIsTooLongIsALine() throws Exception {
        Files.writeString(cdi.resolve("x.json"), "{\"kind\":\"" + "x".repeat(1_000_000) + "\"}");

        assertThat(kept())
                .containsExactly(
                        "problems: {}", cdi + "/x.json: has a name or a string of more than 4096 characters", "");
    }

    @ParameterizedTest
    @CsvSource({"1000000, '\n'", "500000, ' \n'", "1000000, ' '", "200000, 'name '", "200000, ' kind'"})
    void yamlOfAnyFormIsReadInTheTimeThatItsLengthTakes(int times, String text) throws Exception {
        Files.writeString(cdi.resolve("x.yaml"), text.repeat(times));

        assertThat(kept()).containsExactly("problems: {}", cdi + "/x.yaml: is no CDI specification", "");
    }

    @Test
    void fifoIsNotWaitedFor() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", cdi.resolve("x.json").toString())
                        .start()
                        .waitFor())
                .isZero();

        assertThat(kept()).containsExactly("problems: {}", cdi + "/x.json: is a FIFO, not a file", "");
    }

    @Test
    void linkIntoAFileSystemThatMayNotAnswerIsNotFollowed() throws Exception {
        Files.createSymbolicLink(cdi.resolve("x.json"), Path.of("/proc/self/status"));

        assertThat(kept())
                .containsExactly(
                        "problems: {}", cdi + "/x.json: is a link to /proc, a file system that may not answer", "");
    }

    @Test
    void moreFilesThanARuntimeHasAreALine() throws Exception {
        for (int number = 0; number < 300; number++) {
            Files.writeString(cdi.resolve(number + ".json"), "{\"kind\":\"example.com/other\",\"devices\":null}");
        }

        assertThat(kept())
                .containsExactly(
                        "problems: {}",
                        cdi + ": has more than the 256 specifications, or the 8 MiB of them, that are read",
                        "");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "x.json | " + RIVAL,
                "x.yaml | " + RIVAL,
                "x.yaml | {kind: example.com/dpu, devices: [{name: a}]}",
                "x.yaml | ---~devices:~- name: \"a\"~  containerEdits: {}~kind: example.com/dpu # ours",
            })
    void deviceOfOneNameIsFoundInEachForm(String name, String content) throws Exception {
        Files.writeString(cdi.resolve(name), content.replace('~', '\n'));

        assertThat(kept())
                .containsExactly(
                        "problems: {a=its CDI device example.com/dpu=a is also in " + cdi + "/" + name
                                + ", which is not edgeplug's}",
                        "");
    }
}
