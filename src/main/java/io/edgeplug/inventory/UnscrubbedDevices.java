package io.edgeplug.inventory;

import io.edgeplug.device.Health;
import io.edgeplug.inventory.Inventory.Item;
import io.edgeplug.rules.DeviceClass;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The devices that a pod has used and that are not scrubbed yet. While a device is noted here, only the resource as
 * which it was used gets it. The notes are in memory; {@code UseNotes} has them on disk, and {@code ReleasedDevices}
 * keeps both alike. One thread at a time changes them, and any may ask.
 */
final class UnscrubbedDevices {

    /**
     * A use that is not over yet.
     *
     * @param resource as which the device was used; empty if that is not known
     * @param waits whether it is over soon, so that the next preparation can wait for that
     * @param reason why nobody gets the device while nobody holds it, for a person
     */
    private record Use(Optional<String> resource, boolean waits, String reason) {}

    private final Map<String, Use> byId = new ConcurrentHashMap<>();

    /** Returns whether that is new. */
    boolean note(String id, Optional<String> resource, boolean waits, String reason) {
        Use use = new Use(resource, waits, reason);
        return !Optional.of(use).equals(Optional.ofNullable(byId.put(id, use)));
    }

    /** Returns whether that is new. */
    boolean end(String id) {
        return byId.remove(id) != null;
    }

    /** By ID, whether each use is over soon, without the help of a person. */
    Map<String, Boolean> waiting() {
        Map<String, Boolean> all = new HashMap<>();
        byId.forEach((id, use) -> all.put(id, use.waits()));
        return all;
    }

    /** Why a device is not scrubbed soon without the help of a person; empty if it is, or need not be. */
    Optional<String> problem(String id) {
        return Optional.ofNullable(byId.get(id)).filter(use -> !use.waits()).map(Use::reason);
    }

    boolean isEmpty() {
        return byId.isEmpty();
    }

    /** The reason why a container cannot get the item now, by the holder of its device; empty if it can. */
    Optional<String> objection(Item item, Optional<Holders.Entry> holder) {
        return reason(item, holder)
                .filter(reason -> holder.isPresent()
                        || Optional.ofNullable(byId.get(item.device().id()))
                                .filter(use -> use.waits() && use.resource().equals(name(item)) && startWaits(item))
                                .isEmpty());
    }

    /** Whether the start of a container waits for the scrub. */
    private static boolean startWaits(Item item) {
        return item.deviceClass().filter(DeviceClass::tracksUse).isPresent();
    }

    /** These items, with those withheld that nobody must get now. */
    List<Item> judged(List<Item> items, Holders holders) {
        List<Item> judged = new ArrayList<>(items.size());
        boolean isAny = false;
        for (Item item : items) {
            // A broken device already has its own problem.
            Optional<String> reason = item.device().health().isHealthy()
                    ? reason(item, holders.of(item.device().id()))
                    : Optional.empty();
            isAny |= reason.isPresent();
            judged.add(reason.map(text -> new Item(item.device().withHealth(Health.withheld(text)), item.deviceClass()))
                    .orElse(item));
        }
        return isAny ? judged : items;
    }

    private Optional<String> reason(Item item, Optional<Holders.Entry> holder) {
        if (holder.isPresent()) {
            return holder.map(Holders.Entry::as)
                    .filter(as -> isOfAnother(item, as))
                    .map(as -> "is held as " + as.resource() + " by " + as.name());
        }
        return Optional.ofNullable(byId.get(item.device().id())).map(Use::reason);
    }

    /** Whether the holder of a device has it in another way than as this item. */
    private boolean isOfAnother(Item item, HeldAs as) {
        // The device plugin and claims know nothing of each other, also where their resources have one name.
        if (as.isClaim() && item.deviceClass().filter(one -> !one.isClaimed()).isPresent()) {
            return true;
        }
        return !name(item).equals(Optional.of(as.resource())) && (item.isFace() || isUsedAsAnother(item));
    }

    /** Whether a device was used as a resource whose class has been renamed or removed since. */
    private boolean isUsedAsAnother(Item item) {
        return item.resource().isPresent()
                && Optional.ofNullable(byId.get(item.device().id()))
                        .filter(use -> use.resource().isPresent())
                        .filter(use -> !use.resource().equals(name(item)))
                        .isPresent();
    }

    private static Optional<String> name(Item item) {
        return item.resource().map(Object::toString);
    }
}
