package io.edgeplug.node.inventory;

import static io.edgeplug.node.inventory.Items.item;
import static io.edgeplug.node.inventory.Items.name;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Traces;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.device.Health;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.system.flow.Difference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is handed over by ID while the list changes. */
final class PublicationTest {

    private static final List<String> NAMES = List.of("a", "b");

    /** The resource as which each device was handed over, by ID. */
    private final Map<String, String> given = new HashMap<>();

    private final Custodian custodian = new Custodian();
    private final Publication publication = new Publication(custodian);
    private final Judgement judgement = new Judgement(custodian);

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

        assertThat(publication.handOver(name("a"), Set.of("0"), Set.of("0"))).containsExactly(owner.device());
    }

    @Test
    void whoHasADeviceIsOfNoConcernToAListOfItsNamesake() throws Exception {
        Item owner = item("0", Optional.of("a"), Health.HEALTHY);
        publish(List.of(owner, item("0", Optional.empty(), Health.unhealthy("another device has the ID 0"))));
        handOver("0");

        assertThat(publication.concernsOthers(custodian.of("0"))).isFalse();
    }

    @Test
    void deviceWithColonsInItsNameIsHeld() throws Exception {
        publish(List.of(item("input3::capslock", Optional.of("a"), Health.HEALTHY)));
        handOver("input3::capslock");

        assertThat(custodian.of("input3::capslock").holds()).containsOnlyKeys("input3::capslock");
    }

    @Test
    void whatWasHandedOutWhileTheListWasMadeWithoutItStaysAsGone() {
        Item staying = item("0", Optional.of("a"), Health.HEALTHY);
        Item going = item("1", Optional.of("a"), Health.HEALTHY);
        publish(List.of(staying, going));
        List<Integer> made = new ArrayList<>();

        publication.publish(List.of(), before -> {
            List<Device> devices = judgement.known(List.of(staying.device()));
            if (made.isEmpty()) {
                handOver(going.device().id());
            }
            made.add(devices.size());
            return Difference.of(
                    before,
                    devices.stream()
                            .map(device -> new Item(device, going.deviceClass()))
                            .toList());
        });

        assertThat(made).containsExactly(1, 2);
        assertThat(publication.newest().get().devices(name("a")))
                .satisfiesExactly(
                        device -> assertThat(device).isEqualTo(staying.device()),
                        device -> assertThat(device.health().isGone()).isTrue());
    }

    /** After a start of the daemon, the last user may have a device that nobody was seen to get. */
    @Test
    @Timeout(value = 10, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void deviceThatItsLastUserMayHaveStaysAsGone() {
        Item going = item("1", Optional.of("a"), Health.HEALTHY);
        publish(List.of(going));
        Traces traces = new Traces(Set.of("pod"), Optional.of(name("a").toString()), false);
        custodian.tell("1", new Event.Traced(Optional.of(traces)), new Event.Unread());
        assertThat(custodian.of("1").holds()).hasSize(1);

        publish(List.of());

        assertThat(publication.newest().get().devices())
                .singleElement()
                .satisfies(device -> assertThat(device.health().isGone()).isTrue());
    }

    /** The start of a container reads them without the lock, and is refused if it does not find its resource. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void facesOfADeviceAreNeverMissingWhileTheListChanges() throws Exception {
        List<Item> well = faces(Health.HEALTHY);
        List<Item> ill = faces(Health.unhealthy("is ill"));
        publish(well);
        Set<Integer> seen = ConcurrentHashMap.newKeySet();
        AtomicBoolean isOver = new AtomicBoolean();
        Thread reader = Thread.ofPlatform().start(() -> {
            while (!isOver.get()) {
                seen.add(publication.items("0").size());
            }
        });
        for (int round = 0; round < 5_000; round++) {
            publish(round % 2 == 0 ? ill : well);
        }
        isOver.set(true);
        reader.join();

        assertThat(seen).containsOnly(well.size());
    }

    private static List<Item> faces(Health health) {
        return NAMES.stream().map(name -> item("0", Optional.of(name), health)).toList();
    }

    private void handOver(String id) {
        try {
            assertThat(publication.handOver(name("a"), Set.of(id), Set.of(id))).hasSize(1);
        } catch (DeviceUnavailableException e) {
            throw new AssertionError(e);
        }
    }

    /** Those that were handed over and are not among these stay without a class. */
    private void publish(List<Item> items) {
        publication.publish(List.of(), before -> {
            List<Device> devices =
                    judgement.known(items.stream().map(Item::device).toList());
            List<Item> all = new ArrayList<>(items);
            devices.subList(items.size(), devices.size())
                    .forEach(device -> all.add(new Item(device, Optional.empty())));
            return Difference.of(before, all);
        });
    }

    private void check(String name, String id, List<Item> items) throws DeviceUnavailableException {
        // Whoever has a device has it as one resource.
        Optional<Device> expected = items.stream()
                .filter(item -> Optional.of(name).equals(Optional.of(given.getOrDefault(id, name))))
                .filter(item -> item.resource().equals(Optional.of(name(name))))
                .map(Item::device)
                .filter(device -> device.id().equals(id) && device.health().isHealthy())
                .findFirst();
        if (expected.isPresent()) {
            assertThat(publication.handOver(name(name), Set.of(id), Set.of(id)))
                    .containsExactly(expected.orElseThrow());
            given.put(id, name);
        } else {
            assertThatThrownBy(() -> publication.handOver(name(name), Set.of(id), Set.of(id)))
                    .isInstanceOf(DeviceUnavailableException.class);
        }
    }
}
