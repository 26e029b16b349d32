package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.Health;
import io.edgeplug.inventory.Inventory.Item;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Who may hold which device, as it was when it was handed over last; one thread at a time.
 *
 * <p>Times are {@link System#nanoTime}.
 */
final class Holders {

    /** The kubelet notes a device right after Allocate; so long after it, what is not noted is not held. */
    private static final long NOTED = Duration.ofSeconds(5).toNanos();

    private final Map<String, Entry> byId = new TreeMap<>();

    /** Of all of them. */
    private HeldGroups groups = new HeldGroups(List.of());

    private long count;

    /**
     * A device that a container may hold.
     *
     * @param group the IOMMU group that this container has with it
     * @param holder a pod by its UID, or one Allocate as long as the kubelet has not noted whose it was
     * @param before the holder before that Allocate, which the kubelet may note still
     * @param notedBy until when the kubelet may be about to note that Allocate
     */
    record Entry(Device device, OptionalInt group, String holder, Optional<String> before, long notedBy) {}

    /** A container gets these, all of them. */
    void add(Collection<Item> items, long now) {
        count++;
        // the kubelet gives away what is free: whoever had one of these is gone, with all that it had of the group
        Set<String> gone = new HashSet<>();
        for (Item item : items) {
            Optional.ofNullable(byId.get(item.device().id())).map(Entry::holder).ifPresent(gone::add);
        }
        byId.values().removeIf(entry -> entry.group().isPresent() && gone.contains(entry.holder()));
        items.forEach(item -> put(item, "allocate " + count, known(item).map(Entry::holder), now + NOTED));
        groups = new HeldGroups(byId.values());
    }

    /** A pod holds this; if it has gone, it stays as it was when it was handed over. */
    void add(Item item, String pod, long now) {
        Optional<Entry> known = known(item);
        if (item.device().health().isGone() && known.isEmpty()) {
            return;
        }
        // unless it is the pod before, what was allocated last has been noted
        Optional<Entry> early = known.filter(entry -> entry.before().equals(Optional.of(pod)));
        put(item, pod, early.flatMap(Entry::before), early.map(Entry::notedBy).orElse(now));
    }

    private Optional<Entry> known(Item item) {
        return Optional.ofNullable(byId.get(item.device().id()));
    }

    private void put(Item item, String holder, Optional<String> before, long notedBy) {
        Device device =
                item.device().health().isGone() ? known(item).map(Entry::device).orElse(item.device()) : item.device();
        byId.put(device.id(), new Entry(device, HeldGroups.group(item), holder, before, notedBy));
    }

    /** Forgets those that no container holds, unless they were handed over just now. */
    void removeFree(Predicate<Device> isHeld, long now) {
        byId.values().removeIf(entry -> now - entry.notedBy() >= 0 && !isHeld.test(entry.device()));
        groups = new HeldGroups(byId.values());
    }

    /** The IOMMU groups that containers have. */
    HeldGroups groups() {
        return groups;
    }

    boolean hasAny(Set<String> ids) {
        return ids.stream().anyMatch(byId::containsKey);
    }

    /** All of them, as they are now. */
    Map<String, Device> byId() {
        Map<String, Device> devices = new LinkedHashMap<>();
        byId.forEach((id, entry) -> devices.put(id, entry.device()));
        return devices;
    }

    /** Those of these, by ID, that are not among the devices that were found, as unhealthy. */
    static List<Device> missed(Map<String, Device> held, List<Device> found) {
        if (held.isEmpty()) {
            return List.of();
        }
        // few of many are held
        Map<String, Device> missed = new LinkedHashMap<>(held);
        found.forEach(device -> missed.remove(device.id()));
        return missed.values().stream()
                .map(device -> device.withHealth(Health.GONE))
                .toList();
    }
}
