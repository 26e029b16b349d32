package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.awt.Rectangle;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The real {@code topology} on each machine; {@code -Dupdate} rewrites what is expected, and the image in docs. */
final class TopologyCommandTest {

    private static final int LARGEST = 300_000;

    /** Of letters of 11 pixels. */
    private static final int ASCENT = 9;

    private static final int DESCENT = 3;

    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @MethodSource("io.edgeplug.api.kubelet.Machine#names")
    void machineIsDrawnAsExpected(String machine) throws IOException {
        String narrow = ofMachine(machine, "--width", "80");

        assertExpected(Machine.file(machine, "topology.txt"), narrow);
        assertThat(narrow.lines()).allMatch(line -> line.length() <= 80);
        assertThat(ofMachine(machine)).doesNotContain("…\n").doesNotContain("\u001b");
    }

    @ParameterizedTest
    @MethodSource("io.edgeplug.api.kubelet.Machine#names")
    void noLabelOfAMachineOverlapsOrLeavesThePicture(String machine) throws Exception {
        assertReadable(ofMachine(machine, "-o", "-"));
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 64, 300})
    void noLabelOverlapsOrLeavesThePictureHoweverManyDevicesThereAre(int devices) throws Exception {
        String svg = ofCrowded(devices, "-o", "-");

        assertReadable(svg);
        assertThat(svg.getBytes(StandardCharsets.UTF_8)).hasSizeLessThan(LARGEST);
        assertThat(svg).doesNotContain("<script").doesNotContain("href").doesNotContain("<b>");
    }

    @Test
    void alikeVfsAreOneBoxAndTheLegendNamesOnlyWhatIsShown() throws Exception {
        String svg = ofMachine("pf-256-vfs", "-o", "-");

        assertThat(svg.split("<title>", -1)).hasSizeLessThan(10);
        assertThat(svg).contains("248 devices", "(248)").doesNotContain(">unhealthy<", ">no resource<");
    }

    @Test
    void linesFitEachTerminal() throws IOException {
        for (int width : List.of(20, 40, 80, 200)) {
            assertThat(ofCrowded(64, "--width", String.valueOf(width)).lines())
                    .allMatch(line -> line.codePointCount(0, line.length()) <= width);
        }
    }

    @Test
    void longNamesOfResourcesLeaveRoomForWhatIsWrongAndStayApart() throws IOException {
        String domain = "a-domain-of-an-edge-operator-that-is-long.example.com";
        String tree = Files.readString(Machine.file("two-sockets-e810", "tree"));
        Path config = Files.writeString(directory.resolve("class.toml"), """
                [[class]]
                resource = "%1$s/sriov_left"
                kind = "vf"
                match = { pf_names = ["ens1f0"] }
                health = { link = "up" }
                [[class]]
                resource = "%1$s/sriov_right"
                kind = "vf"
                match = { pf_names = ["ens2f0"] }
                health = { link = "up" }
                """.formatted(domain));

        String narrow = topology(tree, config, "--width", "80");
        assertThat(narrow).contains("…/sriov_left ", "…/sriov_right ", "unhealthy: ");
        assertThat(narrow.lines()).allMatch(line -> line.length() <= 80);
        assertThat(topology(tree, config, "--width", "200")).contains(domain + "/sriov_left", domain + "/sriov_right");
    }

    @Test
    void podThatHoldsADeviceIsNamedBesideIt() throws IOException {
        assertThat(ofCrowded(8).lines())
                .filteredOn(line -> line.contains("VF 0") && line.contains("0000:3b:01.0"))
                .singleElement()
                .asString()
                .endsWith("held by 0b5f6a1e-1c52-4e0b-9d3a-000000000000");
    }

    @Test
    void imageOfTheDocumentsIsTheCommands() throws Exception {
        String checkpoint = """
                [var/lib/kubelet/device-plugins]
                kubelet_internal_checkpoint = {"Data":{"PodDeviceEntries":[%s,%s]},"Checksum":1}
                """.formatted(
                entry("example.com/sriov_dpdk", "0000:3b:01.2"), entry("example.com/fpga", "0000:5e:00.0-region0"));
        String tree = Files.readString(Machine.file("mixed-adapters", "tree"));

        String svg = topology(tree + checkpoint, Machine.file("mixed-adapters", "class.toml"), "-o", "-");

        assertExpected(Path.of("docs/topology.svg"), svg);
        assertReadable(svg);
    }

    private static String entry(String resource, String id) {
        return """
                {"PodUID":"3d2c7f52-8e0a-4f7b-9a55-6c1d0e9b4f21","ContainerName":"main",\
                "ResourceName":"%s","DeviceIDs":{"0":["%s"]}}""".formatted(resource, id);
    }

    private String ofMachine(String machine, String... more) throws IOException {
        return topology(Files.readString(Machine.file(machine, "tree")), Machine.file(machine, "class.toml"), more);
    }

    private String ofCrowded(int devices, String... more) throws IOException {
        CrowdedNode node = new CrowdedNode(devices);
        return topology(node.tree(), Files.writeString(directory.resolve("class.toml"), node.classes()), more);
    }

    private String topology(String tree, Path config, String... more) throws IOException {
        Console console = new Console();
        try (SimulatedNode node = SimulatedNode.unpack(tree, Files.createTempDirectory(directory, "node"))) {
            String[] args = Stream.concat(
                            Stream.of("topology", "--sysroot", node.root().toString(), "--config", config.toString()),
                            Stream.of(more))
                    .toArray(String[]::new);
            assertThat(console.execute(args)).as(console.text()).isZero();
        }
        return console.text();
    }

    private static void assertReadable(String svg) throws Exception {
        Document image =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
        Element root = image.getDocumentElement();
        Rectangle picture = new Rectangle(number(root, "width"), number(root, "height"));
        List<Rectangle> texts = new ArrayList<>();
        for (Element group : elements(root, "g")) {
            Element box = elements(group, "rect").getFirst();
            Rectangle frame =
                    new Rectangle(number(box, "x"), number(box, "y"), number(box, "width"), number(box, "height"));
            assertThat(picture.contains(frame)).as(group.getTextContent()).isTrue();
            for (Element text : elements(group, "text")) {
                Rectangle label = new Rectangle(
                        number(text, "x"), number(text, "y") - ASCENT, number(text, "textLength"), ASCENT + DESCENT);
                assertThat(frame.contains(label)).as(text.getTextContent()).isTrue();
                assertThat(texts.stream().filter(label::intersects))
                        .as(text.getTextContent())
                        .isEmpty();
                texts.add(label);
            }
        }
        assertThat(texts).isNotEmpty();
    }

    private static List<Element> elements(Element parent, String name) {
        List<Element> found = new ArrayList<>();
        NodeList all = parent.getElementsByTagName(name);
        for (int i = 0; i < all.getLength(); i++) {
            found.add((Element) all.item(i));
        }
        return found;
    }

    private static int number(Element element, String attribute) {
        return Integer.parseInt(element.getAttribute(attribute));
    }

    private static void assertExpected(Path expected, String actual) throws IOException {
        if (System.getProperty("update") != null) {
            Files.writeString(expected, actual);
        }
        assertThat(actual).isEqualTo(Files.readString(expected));
    }
}
