package io.edgeplug.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.Health;
import io.edgeplug.device.Kind;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.ResourceName;
import io.edgeplug.device.Selector;
import io.edgeplug.device.SelectorWord;
import io.edgeplug.inventory.Inventory.Item;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The lists of an inventory that is made from the one before. */
final class InventoryTest {

    private static final List<String> NAMES = List.of("a", "b", "c");

    @Test
    void resourceOfWhichNothingHasChangedKeepsItsList() {
        Item a = item("0", Optional.of("a"), Health.HEALTHY);
        Item b = item("1", Optional.of("b"), Health.HEALTHY);
        Inventory before = Inventory.NOTHING.next(List.of(a, b), List.of());

        Inventory after = before.next(List.of(a, item("1", Optional.of("b"), Health.unhealthy("x"))), List.of());

        assertThat(after.generation()).isEqualTo(before.generation() + 1);
        assertThat(after.devices(name("a"))).isSameAs(before.devices(name("a")));
        assertThat(after.devices(name("b"))).isNotEqualTo(before.devices(name("b")));
    }

    @Test
    void whateverChangesItIsAsIfAllWereNew() {
        Random random = new Random(11);
        Inventory inventory = Inventory.NOTHING;
        List<Item> items = new ArrayList<>();
        for (int round = 0; round < 3_000; round++) {
            items = new ArrayList<>(items);
            for (int change = random.nextInt(4); change > 0; change--) {
                int kind = items.isEmpty() ? 0 : random.nextInt(items.size() > 12 ? 4 : 3);
                switch (kind) {
                    case 0 -> items.add(random.nextInt(items.size() + 1), any(random));
                    case 1 -> items.set(random.nextInt(items.size()), any(random));
                    case 2 -> items.add(items.removeFirst());
                    default -> items.removeLast();
                }
            }
            inventory = inventory.next(items, List.of());
            Inventory anew = Inventory.NOTHING.next(items, List.of());

            assertThat(inventory.items()).isEqualTo(items);
            assertThat(inventory.devices()).isEqualTo(anew.devices());
            for (String name : NAMES) {
                List<Device> expected = items.stream()
                        .filter(item -> item.resource().equals(Optional.of(name(name))))
                        .map(Item::device)
                        .toList();
                assertThat(inventory.devices(name(name))).isEqualTo(expected);
            }
            for (Item item : items) {
                assertThat(inventory.item(item.device().id()))
                        .isEqualTo(anew.item(item.device().id()))
                        .isPresent();
            }
        }
    }

    /** Of a few IDs, so that some come twice; each with a class object of its own, as after a reload. */
    private static Item any(Random random) {
        return item(
                String.valueOf(random.nextInt(20)),
                random.nextInt(4) == 0 ? Optional.empty() : Optional.of(NAMES.get(random.nextInt(NAMES.size()))),
                random.nextBoolean() ? Health.HEALTHY : Health.unhealthy("x"));
    }

    private static Item item(String id, Optional<String> resource, Health health) {
        Device device = new PathDevice(id, List.of(new PathDevice.File("/dev/" + id, true)), Optional.empty(), health);
        return new Item(
                device,
                resource.map(one -> DeviceClass.of(
                        name(one), Kind.PATH, new Selector(Map.of(SelectorWord.PATHS, List.of("/dev/*"))))));
    }

    private static ResourceName name(String name) {
        return ResourceName.parse("example.com/" + name);
    }
}
