package io.edgeplug.cli.daemon;

import io.edgeplug.api.dra.DraDriver;
import io.edgeplug.api.dra.SliceStatus;
import io.edgeplug.api.kubelet.DevicePlugins;
import io.edgeplug.api.status.NodeStatus.ClaimingStatus;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.pods.KubeletPods;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.supply.Preparations;
import io.edgeplug.node.supply.Supplies;
import io.edgeplug.node.vfs.NodeVfs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The DRA driver for classes whose devices are claimed. Without such a class, nothing of it is loaded. */
final class Claiming implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Claiming.class.getName());

    private final @Nullable DraDriver driver;
    private final String name;
    private final PreparedClaims claims;

    private Claiming(@Nullable DraDriver driver, String name, PreparedClaims claims) {
        this.driver = driver;
        this.name = name;
        this.claims = claims;
    }

    /**
     * Offers devices as the configuration says; none if no class has claims.
     *
     * @param boot the file that identifies this boot of the node
     */
    static Claiming start(
            Config config,
            NodeVfs.Kubelet kubelet,
            Path boot,
            Supplies supplies,
            Preparations preparations,
            DevicePlugins plugins,
            PreparedClaims claims)
            throws IOException {
        String name = config.dra().driver();
        if (!config.claimed().isEmpty()) {
            DraDriver.Place place = place(config, kubelet, boot);
            return new Claiming(new DraDriver(place, supplies, preparations, claims, plugins.custody()), name, claims);
        }
        if (claims.all().stream().anyMatch(PreparedClaim::isAhead)) {
            giveBackAhead(place(config, kubelet, boot), claims, supplies);
        }
        return new Claiming(null, name, claims);
    }

    private static DraDriver.Place place(Config config, NodeVfs.Kubelet kubelet, Path boot) {
        Config.Dra dra = config.dra();
        return new DraDriver.Place(
                dra.driver(),
                dra.nodeName(),
                dra.kubeconfig(),
                kubelet.pluginDir(),
                kubelet.root(),
                kubelet.root().resolve("plugins_registry"),
                config.cdiDir(),
                boot,
                KubeletPods.CGROUPS);
    }

    private static void giveBackAhead(DraDriver.Place place, PreparedClaims claims, Supplies supplies) {
        try {
            DraDriver.giveBackAhead(place, claims, supplies);
        } catch (IOException e) {
            LOG.warning("devices that were prepared before their pods were bound stay with their claims: "
                    + e.getMessage());
        }
    }

    /** How things stand with slices and claims; empty if nothing is claimed. */
    Optional<ClaimingStatus> status() {
        return driver == null ? Optional.empty() : Optional.of(status(driver));
    }

    private ClaimingStatus status(DraDriver open) {
        SliceStatus slices = open.slices();
        return new ClaimingStatus(
                name,
                slices.pool(),
                slices.generation(),
                slices.slices(),
                slices.devices(),
                slices.problem(),
                claims.all().size(),
                open.preparations(),
                open.obstacleToEarlyPreparation());
    }

    /** The resources that the cluster knows through the driver, once the kubelet has accepted it. */
    Set<ResourceName> registered() {
        // A method reference would load the driver only to find that there is none.
        return driver != null && driver.isRegistered() ? driver.resources() : Set.of();
    }

    /** Withdraws devices that the device plugin offers in the next configuration. */
    void leave(Config next) throws InterruptedException {
        if (driver != null) {
            Set<ResourceName> claimed =
                    next.claimed().stream().map(DeviceClass::resource).collect(Collectors.toSet());
            Set<ResourceName> others = next.classes().stream()
                    .map(DeviceClass::resource)
                    .filter(resource -> !claimed.contains(resource))
                    .collect(Collectors.toSet());
            driver.withdraw(others);
        }
    }

    @Override
    public void close() throws IOException {
        if (driver != null) {
            driver.close();
        }
    }
}
