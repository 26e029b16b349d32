package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.device.Device;
import io.edgeplug.dra.DeviceNames;
import io.edgeplug.dra.NodeIdentity;
import io.edgeplug.inventory.Inventory.Item;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.pods.PreparedClaim;
import io.edgeplug.pods.PreparedClaims;
import io.edgeplug.rules.Api;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How the cluster knows the devices that pods claim, and which claims hold them, as files of the node tell; the API server is
 * not asked. The name of a ResourceSlice is not among it, since the server completes that.
 */
final class ClaimedDevices {

    /** Nothing is known. */
    static final ClaimedDevices UNKNOWN = new ClaimedDevices("", Optional.empty(), List.of());

    private final String driver;
    private final Optional<String> pool;
    private final List<PreparedClaim> claims;

    private ClaimedDevices(String driver, Optional<String> pool, List<PreparedClaim> claims) {
        this.driver = driver;
        this.pool = pool;
        this.claims = claims;
    }

    /** Reads it, as far as this user may. */
    static ClaimedDevices read(Sysroot sysroot, Config config) {
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
            return NodeIdentity.read(sysroot.sysfs(), config.dra().kubeconfig()).nodeName();
        } catch (IOException e) {
            // check says why
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
    static boolean isClaimed(Item item) {
        return item.deviceClass().filter(one -> one.api() == Api.DRA).isPresent();
    }

    /** The name in its slice. */
    Optional<String> name(Item item) {
        // nothing of dra is loaded where no device is claimed
        return isClaimed(item) ? Optional.of(DeviceNames.of(item.device().id())) : Optional.empty();
    }

    /** The driver of that slice. */
    Optional<String> driver(Item item) {
        return Optional.of(driver).filter(name -> isClaimed(item));
    }

    /** The pool of that slice, which is called as the node. */
    Optional<String> pool(Item item) {
        return pool.filter(name -> isClaimed(item));
    }

    /** The claims that hold a device, whatever its class says now: {@code default/two-vfs}. */
    List<String> of(Device device) {
        return holding(device)
                .map(claim -> claim.namespace() + "/" + claim.name())
                .sorted()
                .toList();
    }

    /** A line for each of these claims: {@code held by claim default/two-vfs, for pod 5f6f1b0c-…}. */
    List<String> lines(Device device) {
        return holding(device)
                .map(claim -> "held by " + claim
                        + (claim.pods().isEmpty() ? "" : ", for pod " + String.join(", ", claim.pods()))
                        + (claim.boot().isEmpty() ? ", which is not prepared yet" : ""))
                .sorted()
                .toList();
    }

    private Stream<PreparedClaim> holding(Device device) {
        return claims.stream()
                .filter(claim -> claim.devices().stream()
                        .filter(one -> !one.isForAdministrator())
                        .anyMatch(one -> new Holding("", "", one.resource(), one.id()).isOf(device)));
    }
}
