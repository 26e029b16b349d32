package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.FunctionBuilder;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.model.rules.Api;
import io.edgeplug.model.rules.ClaimChoices;
import io.edgeplug.model.rules.ClaimRules;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Placement;
import io.edgeplug.model.rules.Preference;
import io.edgeplug.model.rules.Sharing;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** VFs for slices, and what slices have of them. */
final class TestSlices {

    private TestSlices() {}

    static DeviceClass vfs(boolean evict) {
        return vfs("example.com/vf", evict, false, Preference.PACK, Sharing.NONE);
    }

    /** A class that offers VFs as one of their faces. */
    static DeviceClass face(String resource) {
        return vfs(resource, false, true, Preference.PACK, Sharing.NONE);
    }

    /** A class whose VFs have shares. */
    static DeviceClass shared(Preference preference, Sharing sharing) {
        return vfs("example.com/vf", true, false, preference, sharing);
    }

    private static DeviceClass vfs(
            String resource, boolean evict, boolean isFace, Preference preference, Sharing sharing) {
        DeviceClass plain = DeviceClass.of(ResourceName.parse(resource), Kind.VF);
        return new DeviceClass(
                plain.resource(),
                plain.kind(),
                plain.selectors(),
                plain.groups(),
                plain.container(),
                new Placement(preference, false, List.of()),
                sharing,
                plain.needsVhostNet(),
                plain.health(),
                plain.recipe(),
                plain.release(),
                isFace,
                plain.trustOwner(),
                Api.DRA,
                new ClaimRules(ClaimChoices.NONE, evict, false),
                plain.identity());
    }

    /** An offer of devices that are not shared. */
    static Offer offer(DeviceClass deviceClass, List<Device> devices, Set<String> claimed, Set<String> heldByPlugin) {
        return offer(deviceClass, devices, claimed, heldByPlugin, Map.of());
    }

    static Offer offer(
            DeviceClass deviceClass,
            List<Device> devices,
            Set<String> claimed,
            Set<String> heldByPlugin,
            Map<String, Boolean> used) {
        return new Offer(deviceClass, devices, claimed, heldByPlugin, used, 1, Set.of(), Set.of(), false);
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
                List.of(),
                Optional.empty(),
                Health.HEALTHY);
    }

    static List<Device> vfs(int count) {
        return IntStream.range(0, count).mapToObj(TestSlices::vf).toList();
    }

    static List<JsonObject> devices(List<JsonObject> slices) {
        return slices.stream()
                .flatMap(slice -> Json.objects(Json.object(slice, "spec"), "devices"))
                .toList();
    }

    /** The counter sets of all slices. */
    static List<JsonObject> counterSets(List<JsonObject> slices) {
        return slices.stream()
                .flatMap(slice -> Json.objects(Json.object(slice, "spec"), "sharedCounters"))
                .toList();
    }

    /** The names of counter sets that devices consume, in the order of the devices. */
    static List<String> consumed(List<JsonObject> slices) {
        return devices(slices).stream()
                .flatMap(device -> Json.objects(device, "consumesCounters"))
                .map(one -> Json.text(one, "counterSet"))
                .toList();
    }

    static List<String> names(List<JsonObject> slices) {
        return devices(slices).stream().map(device -> Json.text(device, "name")).toList();
    }

    static List<String> pools(List<JsonObject> slices) {
        return slices.stream()
                .map(slice -> Json.object(Json.object(slice, "spec"), "pool").toString())
                .distinct()
                .toList();
    }

    /** The shares that claims can consume of each device, by the device's name; 0 if it is of one claim. */
    static Map<String, Integer> capacities(List<JsonObject> slices) {
        return devices(slices).stream()
                .collect(Collectors.toMap(device -> Json.text(device, "name"), TestSlices::capacity));
    }

    private static int capacity(JsonObject device) {
        String value = Json.text(Json.object(Json.object(device, "capacity"), "shares"), "value");
        return device.has("allowMultipleAllocations") ? Integer.parseInt(value.replace("k", "000")) : 0;
    }

    static Predicate<List<JsonObject>> taints(String effect) {
        return slices -> devices(slices).stream()
                .anyMatch(device -> device.toString().contains("\"effect\":\"" + effect + "\""));
    }
}
