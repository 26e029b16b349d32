package io.edgeplug.model.custody;

import io.edgeplug.model.device.Shares;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What there is in a bounded world, and what may go wrong in it.
 *
 * @param devices their IOMMU groups; zero for none
 * @param configurations what edgeplug offers, at first and after each reload
 * @param wants all that pods and claims may ask for
 * @param allocates how many may succeed
 * @param mishaps what may happen at any step
 * @param atMost how many of them
 */
record Scenario(
        Map<String, Integer> devices,
        List<List<Offer>> configurations,
        List<Want> wants,
        int allocates,
        Set<Mishap> mishaps,
        int atMost) {

    /** What may happen at any step. */
    enum Mishap {
        /** The daemon dies, and a new one begins with the notes on disk. */
        CRASH,
        /** The node boots, and the devices get their drivers after the daemon has begun. Nobody sees a group before. */
        LATE_DRIVERS,
        /** The new one cannot read the kubelet's notes at first. */
        BLIND_CRASH,
        /** The kubelet's notes cannot be read for a while. */
        UNREADABLE,
        SCRUB_FAILS,
        PREPARATION_FAILS,
        PULL,
        /** Another card comes into the place of one. */
        REPLUG,
        RELOAD,
        /** A kubelet that has just restarted starts a container without asking for the preparation. */
        UNSEEN_START,
        /** The kubelet forgets a pod that still runs. */
        FORGETS,
        /** The kubelet says that a pod has a device which it was not given. */
        MISNAMES
    }

    /**
     * A class with its devices.
     *
     * @param shares one if its devices are not shared
     * @param isVfio whether a container gets the IOMMU group with a device
     * @param isPrepared whether a recipe runs before containers start; it binds another driver
     */
    record Offer(
            String resource,
            Set<String> devices,
            int shares,
            boolean isScrubbed,
            boolean isClaimed,
            boolean isVfio,
            boolean isPrepared) {

        static Offer of(String resource, String... devices) {
            return new Offer(resource, Set.of(devices), 1, false, false, false, false);
        }

        Offer shared(int number) {
            return new Offer(resource, devices, number, isScrubbed, isClaimed, isVfio, isPrepared);
        }

        Offer scrubbed() {
            return new Offer(resource, devices, shares, true, isClaimed, isVfio, isPrepared);
        }

        Offer claimed() {
            return new Offer(resource, devices, shares, isScrubbed, true, isVfio, isPrepared);
        }

        Offer vfio() {
            return new Offer(resource, devices, shares, isScrubbed, isClaimed, true, isPrepared);
        }

        Offer prepared() {
            return new Offer(resource, devices, shares, isScrubbed, isClaimed, isVfio, true);
        }

        List<String> ids() {
            List<String> ids = new ArrayList<>();
            devices.stream().sorted().forEach(device -> ids.addAll(new Shares(shares).ids(device, shares)));
            return ids;
        }
    }

    /** What a pod or a claim asks for. */
    record Want(String user, String resource, Set<String> ids) {

        static Want of(String user, String resource, String... ids) {
            return new Want(user, resource, new TreeSet<>(Set.of(ids)));
        }
    }

    /** That class as it was in the first configuration that had it. */
    Offer offer(String resource) {
        for (int configuration = 0; configuration < configurations.size(); configuration++) {
            Optional<Offer> found = offer(configuration, resource);
            if (found.isPresent()) {
                return found.orElseThrow();
            }
        }
        throw new IllegalArgumentException(resource);
    }

    Optional<Offer> offer(int configuration, String resource) {
        for (Offer offer : configurations.get(configuration)) {
            if (offer.resource().equals(resource)) {
                return Optional.of(offer);
            }
        }
        return Optional.empty();
    }

    Face face(World world, Offer offer, String device) {
        return new Face(
                device,
                offer.resource(),
                offer.isScrubbed(),
                offer.isClaimed(),
                offer.shares() > 1,
                world.seen(group(offer, device)));
    }

    OptionalInt group(Offer offer, String device) {
        int group = devices.getOrDefault(device, 0);
        return offer.isVfio() && group > 0 ? OptionalInt.of(group) : OptionalInt.empty();
    }

    static boolean isClaim(String user) {
        return user.startsWith("C");
    }

    Set<String> users() {
        return wants.stream().map(Want::user).collect(Collectors.toCollection(TreeSet::new));
    }

    /** A static pod comes back with its old UID. */
    static boolean isStatic(String user) {
        return user.startsWith("static");
    }

    boolean isLying() {
        return mishaps.contains(Mishap.FORGETS) || mishaps.contains(Mishap.MISNAMES);
    }

    /** The address of the function of a device, which may be a part of it. */
    static String function(String device) {
        return device.split("-", -1)[0];
    }

    /** Whether a reset of a PF changes that VF, as {@code F.1}. Pods may have both. */
    static boolean isVf(String pf, String device) {
        return device.startsWith(pf + ".");
    }

    /** Whether one is part of the other. */
    static boolean areKin(String one, String other) {
        return !one.equals(other)
                && function(one).equals(function(other))
                && (one.equals(function(one)) || other.equals(function(other)));
    }
}
