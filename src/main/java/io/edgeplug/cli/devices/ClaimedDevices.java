package io.edgeplug.cli.devices;

import io.edgeplug.api.dra.DeviceNames;
import io.edgeplug.api.dra.NodeIdentity;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Shares;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Sharing;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.pods.PreparedClaims;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names that the cluster has for devices that pods claim, and the claims that hold them, from files of the node.
 * The API server is not asked. The name of a ResourceSlice is missing, because the server completes it.
 */
public record ClaimedDevices(String driver, Optional<String> pool, List<PreparedClaim> claims) {

    public static final ClaimedDevices UNKNOWN = new ClaimedDevices("", Optional.empty(), List.of());

    /** Reads what this user may read. */
    public static ClaimedDevices read(Sysroot sysroot, Config config) {
        return new ClaimedDevices(
                config.dra().driver(),
                config.claimed().isEmpty() ? Optional.empty() : pool(sysroot, config),
                claims(sysroot));
    }

    private static Optional<String> pool(Sysroot sysroot, Config config) {
        if (config.dra().nodeName().isPresent()) {
            return config.dra().nodeName();
        }
        try {
            return NodeIdentity.read(sysroot.sysfs(), config.dra().kubeconfig().orElse(null))
                    .nodeName();
        } catch (IOException e) {
            // edgeplug check says why.
            return Optional.empty();
        }
    }

    private static List<PreparedClaim> claims(Sysroot sysroot) {
        try {
            return PreparedClaims.read(PreparedClaims.directory(sysroot.root())).all();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Whether pods claim the device. */
    public static boolean isClaimed(Item item) {
        return item.deviceClass().filter(DeviceClass::isClaimed).isPresent();
    }

    /**
     * The name in its slice, on an API server that knows all fields of slices. If each share is a device of its own,
     * that of the first, with a mark that there are more.
     */
    Optional<String> name(Item item) {
        // Without a claimed device, nothing of dra is loaded.
        return item.deviceClass()
                .filter(any -> isClaimed(item))
                .map(deviceClass -> name(deviceClass, item.device().id()));
    }

    private static String name(DeviceClass deviceClass, String id) {
        Sharing sharing = deviceClass.sharing();
        if (!sharing.isShared() || DeviceNames.isCapacity(deviceClass)) {
            return DeviceNames.of(deviceClass, id);
        }
        return DeviceNames.of(
                        deviceClass, new Shares(sharing.shares()).ids(id, 1).getFirst()) + ", …";
    }

    /** The driver of that slice. */
    Optional<String> driver(Item item) {
        return Optional.of(driver).filter(name -> isClaimed(item));
    }

    /** The pool of that slice, whose name is that of the node. */
    Optional<String> pool(Item item) {
        return pool.filter(name -> isClaimed(item));
    }

    /** The claims that hold a device as this resource, whatever its class says now: {@code default/two-vfs}. */
    List<String> of(Item item) {
        return claims.stream()
                .filter(claim -> held(claim, item.device())
                        .anyMatch(resource -> !item.isFace()
                                || item.resource()
                                        .filter(own -> own.toString().equals(resource))
                                        .isPresent()))
                .map(claim -> claim.namespace() + "/" + claim.name())
                .sorted()
                .toList();
    }

    /** A line for each claim that holds a device: {@code held by claim default/two-vfs, for pod encrypt}. */
    public List<String> lines(Item item) {
        return claims.stream()
                .flatMap(claim -> held(claim, item.device())
                        .distinct()
                        .map(resource -> "held by " + claim + (item.isFace() ? " as " + resource : "") + rest(claim)))
                .sorted()
                .toList();
    }

    private static String rest(PreparedClaim claim) {
        return (claim.pods().isEmpty()
                        ? ""
                        : ", for pod "
                                + claim.pods().stream()
                                        .map(pod -> pod.name().isEmpty() ? pod.uid() : pod.name())
                                        .collect(Collectors.joining(", ")))
                + (claim.boot().isEmpty() ? ", which is not prepared yet" : "");
    }

    /** The resources as which a claim holds a device; none if it does not hold it. */
    private static Stream<String> held(PreparedClaim claim, Device device) {
        return claim.devices().stream()
                .filter(one -> !one.isForAdministrator())
                .filter(one -> new Holding("", "", one.resource(), one.id()).isOf(device.id()))
                .map(PreparedClaim.Device::resource);
    }
}
