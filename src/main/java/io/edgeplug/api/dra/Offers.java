package io.edgeplug.api.dra;

import io.edgeplug.api.dra.HealthService.OfDevice;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.Shares;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.supply.Stock;
import io.edgeplug.node.supply.Supplies;
import io.edgeplug.node.supply.Supply;
import io.edgeplug.system.flow.Backoff;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The devices that the driver offers at the moment, for slices and for reports of their health. Thread-safe. */
final class Offers {

    private static final Duration LONGEST_UNFIT = Duration.ofHours(1);

    private final List<Supply> supplies;
    private final Supplies all;
    private final PreparedClaims claims;
    private final Duration firstUnfit;
    private final KeptFields kept;
    private final BooleanSupplier isAwaited;
    private volatile Set<ResourceName> withdrawn = Set.of();

    /** By ID, how long a device is kept from other claims: longer after each failure in a row. Guarded by this. */
    private final Map<String, Duration> pauses = new HashMap<>();

    /**
     * The offers of a node.
     *
     * @param supplies of the driver's classes
     * @param all of all classes
     * @param kept the fields that the API server keeps
     * @param isAwaited whether the scheduler can wait until devices are prepared
     * @param firstUnfit how long a device is kept from other claims after its preparation has failed once
     */
    Offers(
            List<Supply> supplies,
            Supplies all,
            PreparedClaims claims,
            KeptFields kept,
            BooleanSupplier isAwaited,
            Duration firstUnfit) {
        this.supplies = List.copyOf(supplies);
        this.all = all;
        this.claims = claims;
        this.kept = kept;
        this.isAwaited = isAwaited;
        this.firstUnfit = firstUnfit;
    }

    /** Leaves these resources out from now on. */
    void withdraw(Set<ResourceName> resources) {
        withdrawn = Set.copyOf(resources);
    }

    /** Reports that a claim with these devices has failed. Those that are the reason are kept from others for a while. */
    synchronized void unfit(Set<String> ids) {
        ids.stream().filter(this::isTroubled).forEach(id -> {
            Duration longer = Backoff.doubled(pauses.getOrDefault(id, Duration.ZERO), LONGEST_UNFIT);
            pauses.put(id, longer.isZero() ? firstUnfit : longer);
        });
    }

    /** Reports that a claim with these devices is ready. It may only look at one that another claim could not have. */
    synchronized void fit(Set<String> ids) {
        pauses.keySet().removeIf(id -> ids.contains(id) && !isTroubled(id));
    }

    /** Whether a device counts as broken because of what was done to it. */
    private boolean isTroubled(String id) {
        return all.custodian().of(id).problem().isPresent();
    }

    /** The IDs of devices that could not be prepared, and are kept from other claims for a while. */
    private Set<String> unfit(DeviceClass deviceClass, Stock stock) {
        return deviceClass.claims().isPreparedBeforeBinding()
                ? stock.devices().stream()
                        .map(Device::id)
                        .filter(this::isTroubled)
                        .collect(Collectors.toSet())
                : Set.of();
    }

    /**
     * A device on which nobody works changes no more, so only another claim can show whether it is well. A reload forgets
     * none that has failed before, because the custodian knows when that was.
     */
    private synchronized void retry() {
        supplies.stream()
                .flatMap(supply -> unfit(supply.deviceClass(), supply.current()).stream())
                .forEach(id -> all.custodian()
                        .tell(id, new Event.Retried(pauses.getOrDefault(id, firstUnfit), System.nanoTime())));
    }

    /** What the slices should have. */
    List<Offer> now() {
        List<PreparedClaim.Device> claimed = claimed();
        // Uses are read after the claims. A release in between wakes the publisher once more.
        Map<String, Boolean> used = new HashMap<>(all.used());
        claimed.forEach(device -> used.remove(Shares.whole(device.id())));
        retry();
        List<Offer> offers = new ArrayList<>();
        for (Supply supply : offered()) {
            Stock stock = supply.current();
            Set<String> held = stock.devices().stream()
                    .map(Device::id)
                    .filter(all.custodian()::isHeldByPlugin)
                    .collect(Collectors.toSet());
            offers.add(offer(supply.deviceClass(), stock, claimed, held, used));
        }
        return offers;
    }

    /** The health of the devices in the slices, for the kubelet. */
    List<OfDevice> health() {
        List<PreparedClaim.Device> claimed = claimed();
        Set<SliceField> fields = kept.fields();
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

    private Offer offer(
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
                ids(own, one -> one.name().equals(DeviceNames.of(deviceClass, Shares.whole(one.id())))),
                unfit(deviceClass, stock),
                isAwaited.getAsBoolean() && deviceClass.claims().isPreparedBeforeBinding());
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
}
