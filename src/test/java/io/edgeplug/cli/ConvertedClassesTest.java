package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whether converted classes take the devices that the other plugin would have taken on each machine of {@code
 * src/test/machines}: its rules are here once more, over the columns of {@code list}.
 */
final class ConvertedClassesTest {

    private static final List<String> SRIOV = List.of(
            "sriov-e810", "sriov-mellanox", "sriov-accelerators-and-parts", "sriov-all", "sriov-without-driver");

    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @MethodSource("io.edgeplug.api.kubelet.Machine#names")
    void classesTakeWhatTheSriovPluginTook(String machine) throws IOException {
        Path root = directory.resolve(machine);
        try (SimulatedNode node = SimulatedNode.unpack(Files.readString(Machine.file(machine, "tree")), root)) {
            List<JsonObject> devices = devices(node.root(), directory.resolve("none.toml")).stream()
                    // A container that uses RDMA leaves the interface to the node, so edgeplug hands such an adapter
                    // out.
                    .filter(device -> text(device, "kind").equals("hca")
                            || !text(device, "nodeuse").startsWith("the default route"))
                    .toList();
            for (String conversion : SRIOV) {
                Path source = ConversionsTest.source(conversion);
                Map<String, Set<String>> expected = taken(JsonParser.parseString(Files.readString(source)), devices);
                Console console = new Console();

                int exit = console.execute("convert", "--sysroot", root.toString(), source.toString());

                if (exit == ExitCode.CONFIG || console.text().contains("left out: ")) {
                    assertThat(console.text()).contains("takes devices of several kinds on this node");
                    assertThat(kinds(expected, devices)).as(conversion).anyMatch(kinds -> kinds.size() > 1);
                } else {
                    Path config = Files.writeString(directory.resolve(conversion + ".toml"), console.text());
                    cutIntoSubFunctions(devices).forEach(id -> {
                        boolean wasTaken = expected.values().stream().anyMatch(ids -> ids.contains(id));
                        expected.values().forEach(ids -> ids.remove(id));
                        assertThat(console.text().contains("# " + id + " belonged to it, but"))
                                .isEqualTo(wasTaken);
                    });
                    expected.values().removeIf(Set::isEmpty);
                    assertThat(byResource(devices(node.root(), config)))
                            .as(conversion)
                            .isEqualTo(expected);
                }
            }
        }
    }

    /** PFs that edgeplug never hands out, and that plugin does. */
    private static Set<String> cutIntoSubFunctions(List<JsonObject> devices) {
        Set<String> pfs = new TreeSet<>();
        devices.stream()
                .filter(device -> text(device, "kind").equals("sf"))
                .forEach(device -> pfs.add(text(device, "pf")));
        return pfs;
    }

    @ParameterizedTest
    @MethodSource("io.edgeplug.api.kubelet.Machine#names")
    void classesTakeWhatTheRdmaPluginShared(String machine) throws IOException {
        Path root = directory.resolve(machine);
        Path source = ConversionsTest.source("rdma-shared-all");
        try (SimulatedNode node = SimulatedNode.unpack(Files.readString(Machine.file(machine, "tree")), root)) {
            List<JsonObject> devices = devices(node.root(), directory.resolve("none.toml"));
            Map<String, Set<String>> expected = new TreeMap<>();
            Set<String> gone = new HashSet<>();
            for (JsonElement one : JsonParser.parseString(Files.readString(source))
                    .getAsJsonObject()
                    .getAsJsonArray("configList")) {
                JsonObject selectors = one.getAsJsonObject().getAsJsonObject("selectors");
                devices.stream()
                        .filter(device -> isShared(selectors, device) && gone.add(text(device, "device")))
                        .forEach(device -> expected.computeIfAbsent(
                                        "rdma/"
                                                + one.getAsJsonObject()
                                                        .get("resourceName")
                                                        .getAsString(),
                                        key -> new TreeSet<>())
                                .add(text(device, "device")));
            }
            Console console = new Console();

            int exit = console.execute("convert", "--sysroot", root.toString(), source.toString());

            if (exit == ExitCode.CONFIG || console.text().contains("left out: ")) {
                assertThat(console.text()).contains("takes devices of several kinds on this node");
                assertThat(kinds(expected, devices)).anyMatch(kinds -> kinds.size() > 1);
            } else {
                Path config = Files.writeString(directory.resolve("rdma.toml"), console.text());
                devices.stream()
                        .filter(device -> hasVfs(device) && gone.contains(text(device, "device")))
                        .forEach(pf -> {
                            String id = text(pf, "device");
                            assertThat(console.text()).contains("# " + id + " was shared, but is not handed out here");
                            expected.values().forEach(ids -> ids.remove(id));
                        });
                expected.values().removeIf(Set::isEmpty);
                assertThat(byResource(devices(node.root(), config))).isEqualTo(expected);
            }
        }
    }

    /** Any function of a network adapter with RDMA, a PF with VFs too. */
    private static boolean isShared(JsonObject selectors, JsonObject device) {
        String[] ids = text(device, "ids").split(":", -1);
        return text(device, "class").startsWith("02")
                && !text(device, "kind").equals("sf")
                && !text(device, "rdma").isEmpty()
                && any(selectors, "vendors", ids[0]::equals)
                && any(selectors, "deviceIDs", ids[ids.length - 1]::equals)
                && any(selectors, "drivers", text(device, "driver")::equals)
                && any(selectors, "ifNames", List.of(text(device, "net").split(",", -1))::contains)
                && any(selectors, "linkTypes", List.of(text(device, "link").split(",", -1))::contains);
    }

    /** The plugin's first resource that takes a device has it. */
    private static Map<String, Set<String>> taken(JsonElement source, List<JsonObject> devices) {
        Map<String, Set<String>> taken = new TreeMap<>();
        Set<String> gone = new HashSet<>();
        for (JsonElement one : source.getAsJsonObject().getAsJsonArray("resourceList")) {
            JsonObject resource = one.getAsJsonObject();
            String prefix = resource.has("resourcePrefix")
                    ? resource.get("resourcePrefix").getAsString()
                    : "intel.com";
            String type =
                    resource.has("deviceType") ? resource.get("deviceType").getAsString() : "netDevice";
            JsonElement selectors = resource.get("selectors");
            List<JsonElement> alternatives =
                    selectors.isJsonArray() ? selectors.getAsJsonArray().asList() : List.of(selectors);
            for (JsonObject device : devices) {
                boolean matches = alternatives.stream()
                        .anyMatch(selector ->
                                isOfType(type, device) && matches(selector.getAsJsonObject(), type, device));
                if (matches && gone.add(text(device, "device"))) {
                    taken.computeIfAbsent(
                                    prefix + "/" + resource.get("resourceName").getAsString(), key -> new TreeSet<>())
                            .add(text(device, "device"));
                }
            }
        }
        return taken;
    }

    private static boolean isOfType(String type, JsonObject device) {
        String pciClass = text(device, "class");
        boolean isPart = text(device, "kind").equals("sf");
        boolean isDriven = !isPart && !text(device, "driver").isEmpty();
        return switch (type) {
            case "auxNetDevice" -> isPart;
            // That plugin also hands out PFs of accelerators that have VFs, which edgeplug never does.
            case "accelerator" -> isDriven && pciClass.startsWith("12") && !hasVfs(device);
            default -> isDriven && pciClass.startsWith("02") && !hasVfs(device);
        };
    }

    /** As {@code 4/8}: how many it has, and can have. */
    private static boolean hasVfs(JsonObject device) {
        String vfs = text(device, "vfs");
        return !vfs.isEmpty() && !vfs.startsWith("0/");
    }

    private static boolean matches(JsonObject selector, String type, JsonObject device) {
        boolean isPart = type.equals("auxNetDevice");
        String[] ids = text(device, "ids").split(":", -1);
        Predicate<String> driver = name -> isPart || name.equals(text(device, "driver"));
        return any(selector, "vendors", ids[0]::equals)
                && any(selector, "devices", ids[ids.length - 1]::equals)
                && any(selector, "drivers", driver)
                && (isPart || any(selector, "pciAddresses", text(device, "device")::startsWith))
                && (type.equals("accelerator") || network(selector, device));
    }

    private static boolean network(JsonObject selector, JsonObject device) {
        String pfNames = text(device, "pf").isEmpty() ? text(device, "net") : text(device, "pfnet");
        String pf = text(device, "pf").isEmpty() ? text(device, "device") : text(device, "pf");
        String index = text(device, "vf") + text(device, "sf");
        return any(selector, "acpiIndexes", text(device, "acpi")::equals)
                && any(selector, "pfNames", name -> isNumbered(name, List.of(pfNames.split(",", -1)), index))
                && any(selector, "rootDevices", name -> isNumbered(name, List.of(pf), index))
                && any(selector, "linkTypes", List.of(text(device, "link").split(",", -1))::contains)
                && any(selector, "pKeys", List.of(text(device, "pkeys").split(",", -1))::contains)
                && (!selector.has("isRdma")
                        || !selector.get("isRdma").getAsBoolean()
                        || !text(device, "rdma").isEmpty())
                && (!selector.has("vdpaType")
                        || text(device, "vdpa")
                                .endsWith(":" + selector.get("vdpaType").getAsString()));
    }

    private static boolean isNumbered(String selector, List<String> names, String index) {
        String[] parts = selector.split("#", -1);
        if (!names.contains(parts[0]) || parts.length == 1) {
            return names.contains(parts[0]);
        }
        return !index.isEmpty()
                && Arrays.stream(parts[1].split(",", -1)).anyMatch(range -> {
                    String[] ends = range.split("-", -1);
                    int number = Integer.parseInt(index);
                    return number >= Integer.parseInt(ends[0]) && number <= Integer.parseInt(ends[ends.length - 1]);
                });
    }

    private static boolean any(JsonObject selector, String key, Predicate<String> test) {
        return !selector.has(key)
                || selector.getAsJsonArray(key).asList().stream()
                        .map(JsonElement::getAsString)
                        .anyMatch(test);
    }

    private static List<Set<String>> kinds(Map<String, Set<String>> taken, List<JsonObject> devices) {
        return taken.values().stream()
                .map(ids -> {
                    Set<String> kinds = new TreeSet<>();
                    devices.stream()
                            .filter(device -> ids.contains(text(device, "device")))
                            .forEach(device -> kinds.add(text(device, "kind")));
                    return kinds;
                })
                .toList();
    }

    private static Map<String, Set<String>> byResource(List<JsonObject> devices) {
        Map<String, Set<String>> taken = new TreeMap<>();
        devices.stream()
                .filter(device -> !text(device, "resource").isEmpty())
                .forEach(device -> taken.computeIfAbsent(text(device, "resource"), key -> new TreeSet<>())
                        .add(text(device, "device")));
        return taken;
    }

    private static String text(JsonObject device, String column) {
        JsonElement value = device.get(column.toLowerCase(Locale.ROOT));
        return value == null || value.isJsonNull() ? "" : value.getAsString();
    }

    private static List<JsonObject> devices(Path root, Path config) throws IOException {
        if (!Files.exists(config)) {
            Files.writeString(
                    config,
                    "[[class]]\nresource = \"example.com/none\"\nkind = \"path\"\nmatch = { paths = [\"/none\"] }\n");
        }
        StringWriter out = new StringWriter();
        String[] args = Stream.of(
                        "list",
                        "-J",
                        "-o",
                        "+CLASS,PF,PFNET,VF,SF,LINK,RDMA,NET,VDPA,AUX,ACPI,PKEYS,VFS,NODEUSE",
                        "--sysroot",
                        root.toString(),
                        "--config",
                        config.toString())
                .toArray(String[]::new);
        assertThat(Commands.commandLine().setOut(new PrintWriter(out)).execute(args))
                .isZero();
        return JsonParser.parseString(out.toString()).getAsJsonObject().getAsJsonArray("devices").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .toList();
    }
}
