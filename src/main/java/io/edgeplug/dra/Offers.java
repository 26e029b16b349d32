package io.edgeplug.dra;

import io.edgeplug.device.Device;
import io.edgeplug.device.ResourceName;
import io.edgeplug.device.Shares;
import io.edgeplug.dra.DeviceHealths.OfDevice;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.pods.KubeletPods;
import io.edgeplug.pods.PreparedClaim;
import io.edgeplug.pods.PreparedClaims;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.supply.Stock;
import io.edgeplug.supply.Supplies;
import io.edgeplug.supply.Supply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/** The devices that the driver offers at the moment, for slices and for reports of their health. Thread-safe. */
final class Offers {

    private static final Logger LOG = Logger.getLogger(Offers.class.getName());

    private final List<Supply> supplies;
    private final Supplies all;
    private final KubeletPods pods;
    private final PreparedClaims claims;
    private volatile Set<ResourceName> withdrawn = Set.of();

    /**
     * The offers of a node.
     *
     * @param supplies of the driver's classes
     * @param all of all classes
     */
    Offers(List<Supply> supplies, Supplies all, KubeletPods pods, PreparedClaims claims) {
        this.supplies = List.copyOf(supplies);
        this.all = all;
        this.pods = pods;
        this.claims = claims;
    }

    /** Leaves these resources out from now on. */
    void withdraw(Set<ResourceName> resources) {
        withdrawn = Set.copyOf(resources);
    }

    /** What the slices should have. */
    List<Offer> now() {
        List<PreparedClaim.Device> claimed = claimed();
        Predicate<Device> heldByPlugin = heldByPlugin();
        // Uses are read after the claims. A release in between wakes the publisher once more.
        Map<String, Boolean> used = new HashMap<>(all.used());
        claimed.forEach(device -> used.remove(Shares.whole(device.id())));
        List<Offer> offers = new ArrayList<>();
        for (Supply supply : offered()) {
            Stock stock = supply.current();
            Set<String> held = stock.devices().stream()
                    .filter(heldByPlugin)
                    .map(Device::id)
                    .collect(Collectors.toSet());
            offers.add(offer(supply.deviceClass(), stock, claimed, held, used));
        }
        return offers;
    }

    /**
     * The health of the devices in the slices, for the kubelet.
     *
     * @param fields the fields that the API server keeps
     */
    List<OfDevice> health(SliceFields fields) {
        List<PreparedClaim.Device> claimed = claimed();
        return offered().stream()
                .map(supply -> offer(supply.deviceClass(), supply.current(), claimed, Set.of(), Map.of()))
                .flatMap(offer -> offer.inOrder(fields).stream())
                .map(one -> OfDevice.of(one.name(), one.device()))
                .toList();
    }

    private List<Supply> offered() {
        return supplies.stream()
                .filter(supply -> !withdrawn.contains(supply.deviceClass().resource()))
                .toList();
    }

    private static Offer offer(
            DeviceClass deviceClass,
            Stock stock,
            List<PreparedClaim.Device> claimed,
            Set<String> heldByPlugin,
            Map<String, Boolean> used) {
        List<PreparedClaim.Device> own = claimed.stream()
                .filter(one -> one.resource().equals(deviceClass.resource().toString()))
                .toList();
        return new Offer(
                deviceClass,
                stock.devices(),
                ids(own, any -> true),
                heldByPlugin,
                used,
                stock.shares(),
                ids(own, one -> one.name().equals(DeviceNames.of(deviceClass, Shares.whole(one.id())))));
    }

    private static Set<String> ids(List<PreparedClaim.Device> all, Predicate<PreparedClaim.Device> wanted) {
        return all.stream().filter(wanted).map(PreparedClaim.Device::id).collect(Collectors.toSet());
    }

    private List<PreparedClaim.Device> claimed() {
        return claims.all().stream()
                .flatMap(claim -> claim.devices().stream())
                .filter(one -> !one.isForAdministrator())
                .toList();
    }

    /** While the holders are not known, a claim is refused when it is prepared. */
    private Predicate<Device> heldByPlugin() {
        try {
            HeldDevices held = pods.heldByPlugin();
            return device -> held.of(device).isPresent();
        } catch (IOException e) {
            LOG.fine(() -> "not known what pods of the device plugin hold: " + e.getMessage());
            return device -> false;
        }
    }
}
