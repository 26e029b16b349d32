package io.edgeplug.node.inventory;

import static io.edgeplug.node.inventory.Items.item;
import static io.edgeplug.node.inventory.Items.name;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.system.flow.Difference;
import java.util.List;
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
        Inventory before = next(Inventory.NOTHING, List.of(a, b));

        Inventory after = next(before, List.of(a, item("1", Optional.of("b"), Health.unhealthy("x"))));

        assertThat(after.generation()).isEqualTo(before.generation() + 1);
        assertThat(after.devices(name("a"))).isSameAs(before.devices(name("a")));
        assertThat(after.devices(name("b"))).isNotEqualTo(before.devices(name("b")));
    }

    @Test
    void whateverChangesItIsAsIfAllWereNew() {
        Random random = new Random(11);
        Inventory inventory = Inventory.NOTHING;
        List<Item> items = List.of();
        for (int round = 0; round < 3_000; round++) {
            items = Items.changed(random, items, NAMES);
            inventory = next(inventory, items);

            assertThat(inventory.items()).isEqualTo(items);
            assertThat(inventory.devices())
                    .isEqualTo(items.stream().map(Item::device).toList());
            for (String name : NAMES) {
                List<Device> expected = items.stream()
                        .filter(item -> item.resource().equals(Optional.of(name(name))))
                        .map(Item::device)
                        .toList();
                assertThat(inventory.devices(name(name))).isEqualTo(expected);
            }
        }
    }

    private static Inventory next(Inventory before, List<Item> items) {
        return before.next(Difference.of(before.items(), items), List.of());
    }
}
