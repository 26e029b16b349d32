package io.edgeplug.model.custody;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PfPart;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Which held devices belong together: in one IOMMU group, or in one function. One thread at a time. */
final class Kin {

    /** The holds with an IOMMU group, by group and device. */
    private final Map<Integer, SortedMap<String, Hold>> groups = new HashMap<>();

    /** The devices that somebody has, by the text of the address of their function. Their IDs begin with this text. */
    private final Map<String, Set<String>> functions = new HashMap<>();

    /** The VFs and sub-functions that somebody has, by the text of the address of their PF. */
    private final Map<String, Set<String>> parts = new HashMap<>();

    /** Follows a record. */
    void change(Custody before, Custody after) {
        before.group().ifPresent(group -> {
            SortedMap<String, Hold> mates = groups.getOrDefault(group, new TreeMap<>());
            mates.remove(before.id());
            if (mates.isEmpty()) {
                groups.remove(group);
            }
        });
        after.group()
                .ifPresent(group -> after.holds().values().stream()
                        .filter(hold -> hold.group().isPresent())
                        .findFirst()
                        .ifPresent(hold -> groups.computeIfAbsent(group, none -> new TreeMap<>())
                                .put(after.id(), hold)));
        if (before.holds().isEmpty() != after.holds().isEmpty()) {
            PciAddress.ofId(after.id()).ifPresent(address -> change(functions, address.toString(), after));
        }
        if (!physicalFunction(before).equals(physicalFunction(after))) {
            physicalFunction(before).ifPresent(pf -> change(parts, pf, Custody.free(before.id())));
            physicalFunction(after).ifPresent(pf -> change(parts, pf, after));
        }
    }

    private static void change(Map<String, Set<String>> index, String address, Custody after) {
        Set<String> held = index.computeIfAbsent(address, none -> new TreeSet<>());
        boolean ignored = after.holds().isEmpty() ? held.remove(after.id()) : held.add(after.id());
        if (held.isEmpty()) {
            index.remove(address);
        }
    }

    /** The PF of a held VF or sub-function, whose own ID does not name it. */
    private static Optional<String> physicalFunction(Custody custody) {
        return custody.holds().isEmpty()
                ? Optional.empty()
                : custody.device()
                        .flatMap(device -> device instanceof PfPart part
                                ? Optional.of(part.physicalFunction().toString())
                                : Optional.empty());
    }

    /** A held device that is part of this one, or of which this one is part. Two parts of a function are no kin. */
    Optional<String> heldKin(String device) {
        String function = PciAddress.textIn(device);
        Set<String> held = functions.getOrDefault(function, Set.of());
        return device.equals(function)
                ? held.stream().filter(other -> !other.equals(device)).findFirst()
                : Optional.of(function).filter(held::contains);
    }

    /**
     * Whether somebody has a VF or a sub-function of that PF. Pods may have both a PF and its VFs, but a reset of the PF
     * changes them all.
     */
    boolean isPartHeld(String pf) {
        return parts.containsKey(pf);
    }

    /** Whether somebody has any device of a function, or a VF or a sub-function of it. */
    boolean isFunctionHeld(PciAddress address) {
        return functions.containsKey(address.toString()) || parts.containsKey(address.toString());
    }

    /** The holds in the IOMMU group that comes with a face, by device. */
    SortedMap<String, Hold> mates(Face face) {
        return face.group().isPresent()
                ? Collections.unmodifiableSortedMap(
                        groups.getOrDefault(face.group().getAsInt(), Collections.emptySortedMap()))
                : Collections.emptySortedMap();
    }
}
