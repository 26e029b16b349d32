package io.edgeplug.inventory;

import static io.edgeplug.inventory.Items.item;
import static io.edgeplug.inventory.Items.name;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceUnavailableException;
import io.edgeplug.device.Health;
import io.edgeplug.inventory.Inventory.Item;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** What is handed over by ID while the list changes. */
final class PublicationTest {

    private static final List<String> NAMES = List.of("a", "b");

    private final Publication publication = new Publication();

    @Test
    void whateverHasChangedADeviceIsHandedOutUnderItsIdAndNoOtherIs() throws Exception {
        Random random = new Random(3);
        List<Item> items = List.of();
        for (int round = 0; round < 3_000; round++) {
            items = Items.changed(random, items, NAMES);
            publish(items);

            for (String name : NAMES) {
                for (int id = 0; id < Items.IDS; id++) {
                    check(name, String.valueOf(id), items);
                }
            }
        }
    }

    @Test
    void namesakeThatGoesTakesNothingFromTheDeviceThatHasTheId() throws Exception {
        Item owner = item("0", Optional.of("a"), Health.HEALTHY);
        publish(List.of(owner, item("0", Optional.empty(), Health.unhealthy("another device has the ID 0"))));
        handOver("0");
        publish(List.of(owner));

        assertThat(publication.handOver(name("a"), Set.of("0"))).containsExactly(owner.device());
    }

    @Test
    void whatWasHandedOutWhileTheListWasMadeWithoutItStaysAsGone() {
        Item staying = item("0", Optional.of("a"), Health.HEALTHY);
        Item going = item("1", Optional.of("a"), Health.HEALTHY);
        publish(List.of(staying, going));
        List<Integer> made = new ArrayList<>();

        publication.publish(
                List.of(staying.device()),
                List.of(),
                devices -> {
                    if (made.isEmpty()) {
                        handOver(going.device().id());
                    }
                    made.add(devices.size());
                    return devices.stream()
                            .map(device -> new Item(device, going.deviceClass()))
                            .toList();
                },
                UnaryOperator.identity());

        assertThat(made).containsExactly(1, 2);
        assertThat(publication.newest().get().devices(name("a")))
                .satisfiesExactly(
                        device -> assertThat(device).isEqualTo(staying.device()),
                        device -> assertThat(device.health().isGone()).isTrue());
    }

    private void handOver(String id) {
        try {
            assertThat(publication.handOver(name("a"), Set.of(id))).hasSize(1);
        } catch (DeviceUnavailableException e) {
            throw new AssertionError(e);
        }
    }

    /** Those that were handed over and are not among these stay without a class. */
    private void publish(List<Item> items) {
        publication.publish(
                items.stream().map(Item::device).toList(),
                List.of(),
                devices -> {
                    List<Item> all = new ArrayList<>(items);
                    devices.subList(items.size(), devices.size())
                            .forEach(device -> all.add(new Item(device, Optional.empty())));
                    return all;
                },
                UnaryOperator.identity());
    }

    private void check(String name, String id, List<Item> items) throws DeviceUnavailableException {
        Optional<Device> expected = items.stream()
                .filter(item -> item.resource().equals(Optional.of(name(name))))
                .map(Item::device)
                .filter(device -> device.id().equals(id) && device.health().isHealthy())
                .findFirst();
        if (expected.isPresent()) {
            assertThat(publication.handOver(name(name), Set.of(id))).containsExactly(expected.orElseThrow());
        } else {
            assertThatThrownBy(() -> publication.handOver(name(name), Set.of(id)))
                    .isInstanceOf(DeviceUnavailableException.class);
        }
    }
}
