package io.edgeplug.dra;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.edgeplug.device.Device;
import io.edgeplug.device.FunctionBuilder;
import io.edgeplug.device.Health;
import io.edgeplug.device.Kind;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.ResourceName;
import io.edgeplug.device.VirtualFunction;
import io.edgeplug.rules.Api;
import io.edgeplug.rules.DeviceClass;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** VFs for slices, and what slices have of them. */
final class TestSlices {

    private TestSlices() {}

    static DeviceClass vfs(boolean evict) {
        DeviceClass plain = DeviceClass.of(ResourceName.parse("example.com/vf"), Kind.VF);
        return new DeviceClass(
                plain.resource(),
                plain.kind(),
                plain.selectors(),
                plain.groups(),
                plain.container(),
                plain.preference(),
                plain.excludeTopology(),
                plain.numaNodes(),
                plain.sharing(),
                plain.needsVhostNet(),
                plain.health(),
                plain.recipe(),
                plain.release(),
                plain.isFace(),
                plain.trustOwner(),
                Api.DRA,
                evict,
                plain.choices());
    }

    static Device vf(int number) {
        PciAddress address = new PciAddress(0, 0x3b, number / 8, number % 8);
        return new VirtualFunction(
                new FunctionBuilder(address)
                        .ethernet(0x8086, 0x154c)
                        .driver("vfio-pci")
                        .numaNode(1)
                        .rootPort(new PciAddress(0, 0x3a, 0, 0))
                        .build(),
                new PciAddress(0, 0x3b, 31, 7),
                number,
                List.of("ens1f0"),
                Optional.empty(),
                Health.HEALTHY);
    }

    static List<Device> vfs(int count) {
        return IntStream.range(0, count).mapToObj(TestSlices::vf).toList();
    }

    static List<JsonObject> devices(List<JsonObject> slices) {
        return slices.stream()
                .flatMap(slice -> Slice.object(slice, "spec").getAsJsonArray("devices").asList().stream())
                .map(JsonElement::getAsJsonObject)
                .toList();
    }

    static List<String> names(List<JsonObject> slices) {
        return devices(slices).stream()
                .map(device -> Slice.text(device, "name"))
                .toList();
    }

    static List<String> pools(List<JsonObject> slices) {
        return slices.stream()
                .map(slice -> Slice.object(Slice.object(slice, "spec"), "pool").toString())
                .distinct()
                .toList();
    }

    static Predicate<List<JsonObject>> taints(String effect) {
        return slices -> devices(slices).stream()
                .anyMatch(device -> device.toString().contains("\"effect\":\"" + effect + "\""));
    }
}
