package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.Health;
import io.edgeplug.inventory.Inventory.Item;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Gives each device to the first class that takes it; one that no scan has made anew keeps what it was given, since most
 * of a node is as it was whenever something happens. One thread at a time.
 */
final class Matching {

    static final int MAX_ID = 63;

    /** Printable and without a comma, which separates IDs in a container's environment; the kubelet's length. */
    private static final Pattern ID = Pattern.compile("[!-+\\--~]{1," + MAX_ID + "}");

    /** An ID that is shared has up to {@code ::999} behind it. */
    private static final int MAX_SHARED_ID = MAX_ID - 5;

    /** As the kubelet knows a share; a device of such a name could be taken for one. */
    private static final Pattern SHARE = Pattern.compile(".+::\\d+");

    private List<DeviceClass> classes = List.of();
    private Map<String, Item> last = Map.of();

    /** These devices, in order, each with the class that takes it. */
    List<Item> match(List<DeviceClass> newClasses, Collection<? extends Device> devices) {
        if (!classes.equals(newClasses)) {
            classes = List.copyOf(newClasses);
            last = Map.of();
        }
        Map<String, Item> byId = HashMap.newHashMap(devices.size());
        List<Item> items = new ArrayList<>(devices.size());
        for (Device device : devices) {
            String id = device.id();
            Item before = last.get(id);
            // the same object, mostly, which a record's own equals would take its time to find out
            Item item = before != null && Objects.equals(before.device(), device) ? before : match(device);
            boolean isFirst = byId.putIfAbsent(id, item) == null;
            items.add(isFirst ? item : refused(device, "another device has the ID " + id));
        }
        last = byId;
        return items;
    }

    private Item match(Device device) {
        if (!ID.matcher(device.id()).matches()) {
            return refused(device, "its name cannot be an ID: 1 to 63 printable characters, no comma or space");
        }
        if (SHARE.matcher(device.id()).matches()) {
            return refused(device, "its name is that of a share of another device");
        }
        Optional<DeviceClass> taker =
                classes.stream().filter(one -> one.takes(device)).findFirst();
        boolean isTooLong = device.id().length() > MAX_SHARED_ID
                && taker.filter(one -> one.sharing().isShared()).isPresent();
        return isTooLong
                ? refused(
                        device,
                        "its name is longer than the " + MAX_SHARED_ID + " characters that leave room for shares")
                : new Item(device, taker);
    }

    private static Item refused(Device device, String problem) {
        return new Item(device.withHealth(Health.unhealthy(problem)), Optional.empty());
    }
}
