package io.edgeplug.model.custody;

import io.edgeplug.model.custody.Scenario.Offer;
import io.edgeplug.model.custody.Scenario.Want;
import io.edgeplug.model.device.Shares;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Whom the daemon of a world offers and gives a device. It looks at all records, where the custodian has indexes. */
final class Door {

    private final Scenario scenario;
    private final Decisions decisions;

    Door(Scenario scenario, Decisions decisions) {
        this.scenario = scenario;
        this.decisions = decisions;
    }

    Optional<Hold> kin(World world, String device) {
        return world.records.values().stream()
                .filter(other -> Scenario.areKin(device, other.id()))
                .flatMap(other -> other.holder().stream())
                .findFirst();
    }

    /** Whether somebody has another device that a scrub of this one would change. */
    boolean isKinHeld(World world, String device) {
        return kin(world, device).isPresent()
                || world.records.values().stream()
                        .anyMatch(other -> decisions.isKin(device, other.id())
                                && !other.holds().isEmpty());
    }

    Map<String, Hold> mates(World world, OptionalInt group) {
        Map<String, Hold> mates = new TreeMap<>();
        if (group.isPresent()) {
            world.records
                    .values()
                    .forEach(one -> one.holds().values().stream()
                            .filter(hold -> hold.group().equals(group))
                            .findFirst()
                            .ifPresent(hold -> mates.put(one.id(), hold)));
        }
        return mates;
    }

    /** What the list offers as healthy: {@code id resource}. */
    SortedSet<String> list(World world) {
        SortedSet<String> list = new TreeSet<>();
        for (Offer offer : scenario.configurations().get(world.configuration)) {
            for (String id : offer.ids()) {
                Face face = scenario.face(world, offer, Shares.whole(id));
                Custody custody = world.custody(face.device());
                if (isWell(world, offer, custody)
                        && decisions
                                .ofList(
                                        face,
                                        custody,
                                        kin(world, face.device()).orElse(null),
                                        mates(world, face.group()))
                                .isEmpty()) {
                    list.add(id + " " + offer.resource());
                }
            }
        }
        return list;
    }

    /** Without its driver, a device does not match a class that hands it over with VFIO. */
    private static boolean isWell(World world, Offer offer, Custody custody) {
        return world.place(custody.id()).isHere()
                && custody.problem().isEmpty()
                && !(offer.isVfio() && world.isUnbound);
    }

    /** Whether a caller gets all devices that it wants. */
    boolean isGranted(World world, Want want) {
        Offer offer = scenario.offer(world.configuration, want.resource()).orElseThrow();
        Set<String> devices = new TreeSet<>();
        Set<User> callers = new HashSet<>();
        want.ids().forEach(id -> devices.add(Shares.whole(id)));
        devices.forEach(device -> world.custody(device).holds().values().forEach(hold -> callers.add(hold.user())));
        return offer.ids().containsAll(want.ids())
                && devices.stream().allMatch(device -> {
                    Face face = scenario.face(world, offer, device);
                    Custody custody = world.custody(device);
                    return isWell(world, offer, custody)
                            && decisions
                                    .ofCall(
                                            face,
                                            custody,
                                            kin(world, device).orElse(null),
                                            mates(world, face.group()),
                                            devices,
                                            callers)
                                    .isEmpty();
                });
    }

    /** Whether a claim becomes the user of all devices that it wants. */
    boolean isTaken(World world, Want want, User.Claim claim) {
        Offer offer = scenario.offer(world.configuration, want.resource()).orElseThrow();
        Set<String> devices = new TreeSet<>();
        want.ids().forEach(id -> devices.add(Shares.whole(id)));
        return devices.stream().allMatch(device -> {
            Face face = scenario.face(world, offer, device);
            return !(offer.isVfio() && world.isUnbound)
                    && decisions
                            .ofClaim(
                                    face,
                                    world.custody(device),
                                    kin(world, device).orElse(null),
                                    mates(world, face.group()),
                                    devices,
                                    own(want, device),
                                    claim)
                            .isEmpty();
        });
    }

    static Set<String> own(Want want, String device) {
        Set<String> own = new TreeSet<>(want.ids());
        own.removeIf(id -> !Shares.whole(id).equals(device));
        return own;
    }
}
