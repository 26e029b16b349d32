package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.Health;
import io.edgeplug.inventory.Inventory.Item;
import io.edgeplug.rules.DeviceClass;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The possible holders of devices, with each device as it was when it was last handed over; one thread at a time.
 *
 * <p>Times are {@link System#nanoTime}.
 */
final class Holders {

    /** The kubelet notes a device right after Allocate. A device that it has not noted after this time is not held. */
    private static final Duration NOTED = Duration.ofSeconds(5);

    /**
     * A kubelet that fails a pod after Allocate may not write its notes for long. After this time, the pod's container
     * would have been prepared.
     */
    private static final long FORGOTTEN = Duration.ofMinutes(10).toNanos();

    private final Map<String, Entry> byId = new TreeMap<>();

    /** The IOMMU groups of all entries. */
    private HeldGroups groups = new HeldGroups(List.of());

    private long count;

    /**
     * A device that a container may hold.
     *
     * @param group the IOMMU group that this container has with it
     * @param as the resource and the holder: a pod, or an Allocate whose pod the kubelet has not noted yet
     * @param before the holder before that Allocate, whom the kubelet may still note
     * @param notedBy the time by which the kubelet notes that Allocate
     * @param unnoted the time, by the clock of files, up to which the kubelet may write notes without that Allocate;
     *     only set if two holders would be worse than a device that waits
     */
    record Entry(
            Device device,
            OptionalInt group,
            HeldAs as,
            Optional<String> before,
            long notedBy,
            Optional<Instant> unnoted) {

        String holder() {
            return as.pod();
        }
    }

    /** A container gets all of these items. */
    void add(Collection<Item> items, long now) {
        count++;
        // The kubelet only gives away free devices. So a former holder of one is gone, with everything it had of the
        // group. A claim is already known as the holder, and keeps what else it has.
        Set<String> gone = new HashSet<>();
        for (Item item : items) {
            if (!isClaim(item)) {
                known(item).map(Entry::holder).ifPresent(gone::add);
            }
        }
        byId.values().removeIf(entry -> entry.group().isPresent() && gone.contains(entry.holder()));
        for (Item item : items) {
            // A claim is noted before its devices are handed over, so no earlier holder can still be noted.
            boolean isClaim = isClaim(item);
            HeldAs as = new HeldAs(
                    "allocate " + count,
                    item.resource().map(Object::toString).orElse(""),
                    "a pod that has just been given it",
                    isClaim);
            Optional<String> before = known(item).map(Entry::holder).filter(any -> !isClaim);
            Optional<Instant> unnoted = item.deviceClass()
                    .filter(one -> one.tracksUse() || HeldGroups.group(item).isPresent())
                    .filter(any -> !isClaim)
                    .map(any -> Instant.now().plus(NOTED));
            put(item, as, before, now + NOTED.toNanos(), unnoted);
        }
        groups = new HeldGroups(byId.values());
    }

    /**
     * A pod holds this item. If the device is gone, it stays as it was when it was handed over.
     *
     * @param written when the kubelet wrote the notes that say so
     */
    void add(Item item, HeldAs as, Instant written, long now) {
        Optional<Entry> known = known(item);
        if (item.device().health().isGone() && known.isEmpty()) {
            return;
        }
        // An earlier pod may have had the device as another of its faces.
        if (known.filter(entry -> !entry.as().resource().equals(as.resource()))
                .flatMap(Entry::unnoted)
                .filter(until -> !written.isAfter(until))
                .isPresent()) {
            return;
        }
        // Unless this is the earlier pod, the kubelet has now noted the last Allocate.
        Optional<Entry> early = known.filter(entry -> entry.before().equals(Optional.of(as.pod())));
        put(
                item,
                as,
                early.flatMap(Entry::before),
                early.map(Entry::notedBy).orElse(now),
                early.flatMap(Entry::unnoted));
    }

    private static boolean isClaim(Item item) {
        return item.deviceClass().filter(DeviceClass::isClaimed).isPresent();
    }

    private Optional<Entry> known(Item item) {
        return Optional.ofNullable(byId.get(item.device().id()));
    }

    private void put(Item item, HeldAs as, Optional<String> before, long notedBy, Optional<Instant> unnoted) {
        Device device =
                item.device().health().isGone() ? known(item).map(Entry::device).orElse(item.device()) : item.device();
        byId.put(device.id(), new Entry(device, HeldGroups.group(item), as, before, notedBy, unnoted));
    }

    /**
     * Forgets the devices that no container holds, unless they were handed over just now.
     *
     * @param written when the kubelet wrote the notes about holders
     */
    void removeFree(Predicate<Device> isHeld, Instant written, long now) {
        byId.values()
                .removeIf(entry -> now - entry.notedBy() >= 0
                        && !isHeld.test(entry.device())
                        && (entry.unnoted()
                                        .filter(until -> !written.isAfter(until))
                                        .isEmpty()
                                || now - entry.notedBy() > FORGOTTEN));
        groups = new HeldGroups(byId.values());
    }

    /**
     * The resources with an Allocate that is old enough to be noted, and of which it is not known yet whether it was.
     */
    Set<String> unnoted(long now) {
        return byId.values().stream()
                .filter(entry -> entry.unnoted().isPresent() && now - entry.notedBy() >= 0)
                .map(entry -> entry.as().resource())
                .collect(Collectors.toSet());
    }

    /** Whether there is an Allocate that the kubelet may still note. */
    boolean areNew(long now) {
        return byId.values().stream().anyMatch(entry -> entry.unnoted().isPresent() && now - entry.notedBy() < 0);
    }

    /** The possible holder of a device. */
    Optional<Entry> of(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    /** The IOMMU groups of containers. */
    HeldGroups groups() {
        return groups;
    }

    /** The holders by the ID of their device. */
    Map<String, HeldAs> as() {
        Map<String, HeldAs> all = new HashMap<>();
        byId.forEach((id, entry) -> all.put(id, entry.as()));
        return all;
    }

    /** Whether a claim holds any device. */
    boolean haveClaims() {
        return byId.values().stream().anyMatch(entry -> entry.as().isClaim());
    }

    boolean hasAny(Set<String> ids) {
        return ids.stream().anyMatch(byId::containsKey);
    }

    /** All held devices by their IDs, as they are now. */
    Map<String, Device> byId() {
        Map<String, Device> devices = new LinkedHashMap<>();
        byId.forEach((id, entry) -> devices.put(id, entry.device()));
        return devices;
    }

    /** The held devices that are missing among the found ones, as unhealthy. */
    static List<Device> missed(Map<String, Device> held, List<Device> found) {
        if (held.isEmpty()) {
            return List.of();
        }
        // Only a few of many devices are held.
        Map<String, Device> missed = new LinkedHashMap<>(held);
        found.forEach(device -> missed.remove(device.id()));
        return missed.values().stream()
                .map(device -> device.withHealth(Health.GONE))
                .toList();
    }
}
