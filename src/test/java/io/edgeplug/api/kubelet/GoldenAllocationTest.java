package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.HandOver;
import io.edgeplug.node.container.Allocation;
import io.edgeplug.node.container.CdiChecker;
import io.edgeplug.node.container.CdiSpecs;
import io.edgeplug.node.container.DeviceInfoFiles;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.proto.v1beta1.ContainerAllocateResponse;
import io.edgeplug.proto.v1beta1.DeviceSpec;
import io.edgeplug.proto.v1beta1.Mount;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a container gets that has all devices of a class, on each machine of {@code src/test/machines}, and the files that
 * go with it; {@code -Dupdate} rewrites {@code container.json}.
 */
final class GoldenAllocationTest {

    private static final Gson JSON =
            new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create();

    @TempDir
    private Path root = Path.of("");

    static List<String> machines() throws Exception {
        return Machine.names();
    }

    @ParameterizedTest
    @MethodSource("machines")
    void containerGetsWhatIsExpected(String name) throws Exception {
        JsonObject resources = new JsonObject();
        try (Machine machine = Machine.unpack(name, root.resolve("node"))) {
            for (DeviceClass deviceClass : machine.classes()) {
                resources.add(deviceClass.resource().toString(), resource(machine, deviceClass));
            }
        }
        Path expected = Machine.file(name, "container.json");
        String actual = JSON.toJson(resources) + "\n";
        if (System.getProperty("update") != null) {
            Files.writeString(expected, actual);
        }
        assertThat(actual).isEqualTo(Files.readString(expected));
    }

    @ParameterizedTest
    @MethodSource("machines")
    void everyCdiSpecificationKeepsThePublishedRules(String name) throws Exception {
        try (Machine machine = Machine.unpack(name, root.resolve("node"))) {
            for (DeviceClass deviceClass : machine.classes()) {
                List<Equipment> devices = machine.equipment(deviceClass);
                Optional<String> spec = CdiSpecs.content(deviceClass.resource(), devices);
                if (spec.isPresent()) {
                    assertThat(CdiChecker.problems(spec.orElseThrow())).isEmpty();
                }
                Allocation byName = Allocation.of(deviceClass, devices, HandOver.CDI);
                assertThat(byName.cdiDevices()).allMatch(CdiChecker::isQualified);
                assertThat(byName.cdiDevices().isEmpty()).isEqualTo(spec.isEmpty());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("machines")
    void twoResourcesOfOneContainerMeetInNothingButNodesThatAreTheSame(String name) throws Exception {
        Set<String> keys = new HashSet<>();
        Map<String, Allocation.Node> nodes = new HashMap<>();
        Map<String, Allocation.Mount> mounts = new HashMap<>();
        try (Machine machine = Machine.unpack(name, root.resolve("node"))) {
            for (DeviceClass deviceClass : machine.classes()) {
                for (HandOver way : HandOver.values()) {
                    Allocation one = Allocation.of(deviceClass, machine.equipment(deviceClass), way);
                    one.nodes()
                            .forEach(node -> assertThat(nodes.getOrDefault(node.containerPath(), node))
                                    .isEqualTo(node));
                    one.nodes().forEach(node -> nodes.put(node.containerPath(), node));
                    one.mounts()
                            .forEach(mount -> assertThat(mounts.put(mount.containerPath(), mount))
                                    .isNull());
                }
                Allocation one = Allocation.of(deviceClass, machine.equipment(deviceClass), HandOver.CDI);
                one.env()
                        .keySet()
                        .forEach(key ->
                                assertThat(keys.add("env " + key)).as(key).isTrue());
                one.annotations()
                        .keySet()
                        .forEach(key -> assertThat(keys.add("annotation " + key))
                                .as(key)
                                .isTrue());
                one.cdiDevices()
                        .forEach(key ->
                                assertThat(keys.add("cdi " + key)).as(key).isTrue());
            }
        }
    }

    private static JsonObject resource(Machine machine, DeviceClass deviceClass) {
        JsonObject refused = new JsonObject();
        machine.all(deviceClass)
                .forEach(one -> one.problem().ifPresent(problem -> refused.addProperty(one.id(), problem)));
        List<Equipment> devices = machine.equipment(deviceClass);
        JsonObject resource = new JsonObject();
        if (!refused.isEmpty()) {
            resource.add("cannot be handed over", refused);
        }
        if (devices.isEmpty()) {
            return resource;
        }
        resource.add("response", json(V1beta1.container(Allocation.of(deviceClass, devices))));
        resource.add("response with cdi", json(V1beta1.container(Allocation.of(deviceClass, devices, HandOver.CDI))));
        CdiSpecs.content(deviceClass.resource(), devices)
                .ifPresent(
                        spec -> resource.add(CdiSpecs.fileName(deviceClass.resource()), JsonParser.parseString(spec)));
        for (Equipment device : devices) {
            DeviceInfoFiles.content(deviceClass, device.device())
                    .ifPresent(content -> resource.add(
                            DeviceInfoFiles.fileName(deviceClass.resource(), device.id()),
                            JsonParser.parseString(content)));
        }
        return resource;
    }

    private static JsonObject json(ContainerAllocateResponse response) {
        JsonObject json = new JsonObject();
        json.add("envs", JSON.toJsonTree(new TreeMap<>(response.getEnvsMap())));
        json.add(
                "mounts",
                array(response.getMountsList().stream()
                        .map(GoldenAllocationTest::mount)
                        .toList()));
        json.add(
                "devices",
                array(response.getDevicesList().stream()
                        .map(GoldenAllocationTest::device)
                        .toList()));
        json.add("annotations", JSON.toJsonTree(new TreeMap<>(response.getAnnotationsMap())));
        json.add(
                "cdi_devices",
                JSON.toJsonTree(response.getCdiDevicesList().stream()
                        .map(cdi -> cdi.getName())
                        .toList()));
        return json;
    }

    private static JsonElement mount(Mount mount) {
        JsonObject json = new JsonObject();
        json.addProperty("container_path", mount.getContainerPath());
        json.addProperty("host_path", mount.getHostPath());
        json.addProperty("read_only", mount.getReadOnly());
        return json;
    }

    private static JsonElement device(DeviceSpec device) {
        JsonObject json = new JsonObject();
        json.addProperty("container_path", device.getContainerPath());
        json.addProperty("host_path", device.getHostPath());
        json.addProperty("permissions", device.getPermissions());
        return json;
    }

    private static JsonArray array(List<JsonElement> elements) {
        JsonArray array = new JsonArray();
        elements.forEach(array::add);
        return array;
    }
}
