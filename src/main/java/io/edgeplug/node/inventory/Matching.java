package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.Shares;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.system.flow.Difference;
import io.edgeplug.system.flow.IncrementalMapping;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Gives each device to the first class that takes it. If that class has faces, it gives the device to all such classes
 * that take it. An unchanged device keeps its items, because most of a node is unchanged whenever something happens.
 * One thread at a time; lists that it gets must not change later.
 */
final class Matching {

    /** Printable characters without a comma, which separates IDs in a container's environment. */
    private static final Pattern ID = Pattern.compile("[!-+\\--~]+");

    private List<DeviceClass> classes = List.of();
    private final IncrementalMapping<Device, Item> items = new IncrementalMapping<>();

    /** For each device, the items of all classes that offer it as one of its faces. */
    private final IncrementalMapping<Item, List<Item>> faces = new IncrementalMapping<>();

    /** The devices of the last call, and all of their IDs. */
    private List<Device> last = List.of();

    private final Set<String> ids = new HashSet<>();
    private boolean hasNamesakes;

    /** These devices, in order, each with its class, and once for each of its faces. */
    List<Item> match(List<DeviceClass> newClasses, List<Device> devices) {
        if (!classes.equals(newClasses)) {
            classes = List.copyOf(newClasses);
            items.forget();
            faces.forget();
        }
        List<Item> matched = items.map(devices, this::match);
        noteIds(devices);
        List<Item> single = hasNamesakes ? withoutNamesakes(matched) : matched;
        return classes.stream().anyMatch(DeviceClass::isFace)
                ? faces.map(single, this::faces).stream().flatMap(List::stream).toList()
                : single;
    }

    private List<Item> faces(Item first) {
        if (first.deviceClass().filter(DeviceClass::isFace).isEmpty()) {
            return List.of(first);
        }
        return classes.stream()
                .filter(one -> one.isFace() && one.takes(first.device()))
                .map(one -> first.deviceClass().equals(Optional.of(one))
                        ? first
                        : new Item(unobjected(first.device(), one), Optional.of(one)))
                .toList();
    }

    private void noteIds(List<Device> devices) {
        Difference<Device> change = Difference.of(last, devices);
        last = devices;
        change.removed().forEach(device -> ids.remove(device.id()));
        if (hasNamesakes || !addAll(change.added())) {
            ids.clear();
            hasNamesakes = !addAll(devices);
        }
    }

    /** Returns whether all of them are new. */
    private boolean addAll(List<Device> devices) {
        return devices.stream().filter(device -> !ids.add(device.id())).count() == 0;
    }

    private static List<Item> withoutNamesakes(List<Item> matched) {
        Set<String> seen = HashSet.newHashSet(matched.size());
        return matched.stream()
                .map(item -> seen.add(item.device().id())
                        ? item
                        : refused(
                                item.device(),
                                "another device has the ID " + item.device().id()))
                .toList();
    }

    private Item match(Device device) {
        if (!ID.matcher(device.id()).matches()) {
            return refused(device, "its name cannot be an ID: printable characters of ASCII only, no comma or space");
        }
        if (device.id().startsWith("-")) {
            return refused(device, "its name begins with -, and a program would take it for an option");
        }
        // Notes of holders and uevents name a function by its address.
        if (!(device instanceof PciDevice) && PciAddress.ofId(device.id()).isPresent()) {
            return refused(device, "its name is that of a PCI function, which it is not");
        }
        if (!Shares.whole(device.id()).equals(device.id())) {
            return refused(device, "its name is that of a share of another device");
        }
        Optional<DeviceClass> taker =
                classes.stream().filter(one -> one.takes(device)).findFirst();
        return new Item(taker.map(one -> unobjected(device, one)).orElse(device), taker);
    }

    private static Device unobjected(Device device, DeviceClass taker) {
        return device.health().isHealthy()
                ? taker.objection(device)
                        .map(problem -> device.withHealth(Health.unhealthy(problem)))
                        .orElse(device)
                : device;
    }

    private static Item refused(Device device, String problem) {
        return new Item(device.withHealth(Health.unhealthy(problem)), Optional.empty());
    }
}
