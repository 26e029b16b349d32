package io.edgeplug.inventory;

import io.edgeplug.device.Health;
import io.edgeplug.inventory.Inventory.Item;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;

/**
 * The IOMMU groups whose members containers hold. Each group belongs to one container, because the kernel lets no
 * second process open it. See {@code vfio_group_fops_open} and {@code iommu_device_claim_dma_owner} in the kernel.
 */
final class HeldGroups {

    /** The holders, by group and the ID of the member. */
    private final Map<Integer, Map<String, String>> holders = new HashMap<>();

    HeldGroups(Collection<Holders.Entry> all) {
        for (Holders.Entry given : all) {
            if (given.group().isPresent()) {
                holders.computeIfAbsent(given.group().getAsInt(), group -> new TreeMap<>())
                        .put(given.device().id(), given.holder());
            }
        }
    }

    /** The reason why a container that gets {@code ids} cannot have this item of them; empty if it can. */
    Optional<String> objection(Item item, Set<String> ids) {
        OptionalInt group = group(item);
        if (group.isEmpty()) {
            return Optional.empty();
        }
        Map<String, String> members = holders.getOrDefault(group.getAsInt(), Map.of());
        // A container may get again what its pod had, after an init container for example, and that may have been more
        // devices.
        Set<String> own = new HashSet<>();
        ids.forEach(id -> Optional.ofNullable(members.get(id)).ifPresent(own::add));
        return members.entrySet().stream()
                .filter(member -> !ids.contains(member.getKey()) && !own.contains(member.getValue()))
                .findFirst()
                .map(member -> problem(group.getAsInt(), member.getKey()));
    }

    /** These items, with the group mates of held devices as unhealthy. */
    List<Item> judged(List<Item> items) {
        if (holders.isEmpty()) {
            return items;
        }
        List<Item> judged = new ArrayList<>(items.size());
        boolean isAny = false;
        for (Item item : items) {
            // A broken device already has its own problem.
            Optional<String> problem = item.device().health().isHealthy() ? blocked(item) : Optional.empty();
            isAny |= problem.isPresent();
            judged.add(problem.map(
                            text -> new Item(item.device().withHealth(Health.unhealthy(text)), item.deviceClass()))
                    .orElse(item));
        }
        return isAny ? judged : items;
    }

    /** Whether one of these items must wait for the end of a container. */
    boolean blocksAny(List<Item> items) {
        return !holders.isEmpty()
                && items.stream().anyMatch(item -> blocked(item).isPresent());
    }

    /** The reason why no other container can have a device that nobody holds. */
    private Optional<String> blocked(Item item) {
        OptionalInt group = group(item);
        if (group.isEmpty()) {
            return Optional.empty();
        }
        Map<String, String> members = holders.getOrDefault(group.getAsInt(), Map.of());
        return members.isEmpty() || members.containsKey(item.device().id())
                ? Optional.empty()
                : Optional.of(
                        problem(group.getAsInt(), members.keySet().iterator().next()));
    }

    /** The IOMMU group that a container gets with that item. */
    static OptionalInt group(Item item) {
        return item.deviceClass().map(one -> one.vfioGroup(item.device())).orElse(OptionalInt.empty());
    }

    private static String problem(int group, String holder) {
        return "its IOMMU group " + group + " is in use: a container holds " + holder;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof HeldGroups groups && holders.equals(groups.holders);
    }

    @Override
    public int hashCode() {
        return holders.hashCode();
    }
}
