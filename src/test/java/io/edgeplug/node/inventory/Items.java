package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.FileKind;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;

/** Lists of items as {@link Matching} makes them: of devices with one ID, a class takes at most the first. */
final class Items {

    static final int IDS = 20;

    private Items() {}

    static ResourceName name(String name) {
        return ResourceName.parse("example.com/" + name);
    }

    /** With a class object of its own, as after a reload. */
    static Item item(String id, Optional<String> resource, Health health) {
        Device device = new PathDevice(
                id,
                List.of(new PathDevice.File(
                        "/dev/" + id,
                        Optional.of(new Destination("/dev/" + id, FileKind.CHARACTER_DEVICE, 0, 0, "", List.of())))),
                Optional.empty(),
                health);
        return new Item(
                device,
                resource.map(one -> DeviceClass.of(
                        name(one), Kind.PATH, new Selector(Map.of(SelectorWord.PATHS, List.of("/dev/*"))))));
    }

    /** The list with a few random changes. */
    static List<Item> changed(Random random, List<Item> before, List<String> resources) {
        List<Item> items = new ArrayList<>(before);
        for (int change = random.nextInt(4); change > 0; change--) {
            int kind = items.isEmpty() ? 0 : random.nextInt(items.size() > 12 ? 4 : 3);
            switch (kind) {
                case 0 -> items.add(random.nextInt(items.size() + 1), any(random, resources));
                case 1 -> items.set(random.nextInt(items.size()), any(random, resources));
                case 2 -> items.add(items.removeFirst());
                default -> items.remove(random.nextInt(items.size()));
            }
        }
        Set<String> taken = new HashSet<>();
        return items.stream()
                .map(item ->
                        item.deviceClass().isEmpty() || taken.add(item.device().id())
                                ? item
                                : new Item(item.device(), Optional.empty()))
                .toList();
    }

    private static Item any(Random random, List<String> resources) {
        return item(
                String.valueOf(random.nextInt(IDS)),
                random.nextInt(4) == 0
                        ? Optional.empty()
                        : Optional.of(resources.get(random.nextInt(resources.size()))),
                random.nextBoolean() ? Health.HEALTHY : Health.unhealthy("x"));
    }
}
