package io.edgeplug.cli.devices;

import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.pods.EndedPods;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.node.pods.PodNames;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The containers that hold devices of a node, by the kubelet's notes and answers. Only root may read these. */
public final class DeviceHolders {

    public static final DeviceHolders UNKNOWN = new DeviceHolders(null, null, Path.of(""));

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());

    private final @Nullable HeldDevices held;
    private final @Nullable PodNames names;
    private final Path pods;
    private final EndedPods ended;

    private DeviceHolders(@Nullable HeldDevices held, @Nullable PodNames names, Path pods) {
        this.held = held;
        this.names = names;
        this.pods = pods;
        this.ended = EndedPods.withoutPast(pods);
    }

    /**
     * A container that holds a device.
     *
     * @param name empty if the kubelet does not report it
     * @param since when the kubelet made the directory of the pod; empty if there is none
     */
    public record HeldBy(Holding holding, Optional<PodNames.Holder> name, Optional<Instant> since) {

        /** {@code held by edge/dpdk-0 (main) since 2026-11-23 02:14:05}. */
        public String text() {
            String holder = name.map(PodNames.Holder::toString)
                    .orElse("pod " + holding.pod() + " (" + holding.container() + ")");
            return "held by " + holder
                    + since.map(time -> " since " + TIME.format(time)).orElse("");
        }
    }

    /**
     * Reads the holders of these devices. They are unknown without root, and on a captured node. The kubelet is asked
     * only for names.
     */
    public static DeviceHolders read(Sysroot sysroot, Config config, List<Device> devices) throws IOException {
        Optional<Path> kubeletDir = sysroot.kubeletDir(config.kubeletDir());
        if (kubeletDir.isEmpty()) {
            return UNKNOWN;
        }
        Path root =
                sysroot.kubeletDir(config.kubeletRoot(config.registeredIn())).orElseThrow();
        HeldDevices held;
        try {
            held = HeldDevices.read(kubeletDir.orElseThrow());
        } catch (IOException e) {
            return UNKNOWN;
        }
        Set<String> resources = devices.stream()
                .flatMap(device -> held.all(device).stream())
                .map(Holding::resource)
                .collect(Collectors.toSet());
        return new DeviceHolders(held, names(root, resources), root.resolve("pods"));
    }

    private static @Nullable PodNames names(Path root, Set<String> resources) {
        if (resources.isEmpty()) {
            return null;
        }
        try (UnixRpc rpc = UnixRpc.open()) {
            return PodNames.read(rpc, root, resources::contains);
        } catch (IOException e) {
            // Pods are still known by their UIDs.
            return null;
        }
    }

    public boolean areKnown() {
        return held != null;
    }

    /**
     * The holders of a device, or of a part or a share of it. The kubelet notes a pod for some time after its end. Such
     * a pod is left out if the kubelet does not name it and nothing is left of it on the node.
     */
    public List<HeldBy> of(Device device) {
        if (held == null) {
            return List.of();
        }
        return held.all(device).stream()
                .filter(holding -> holding.isOf(device.id()))
                .map(holding -> new HeldBy(holding, name(holding), since(holding.pod())))
                .filter(one ->
                        one.name().isPresent() || !ended.hasEnded(one.holding().pod()))
                .toList();
    }

    private Optional<PodNames.Holder> name(Holding holding) {
        return names == null ? Optional.empty() : names.of(holding);
    }

    /** Each pod that has a device as that resource, once even if it has several shares: namespace/name, or its UID. */
    public List<String> pods(ResourceName resource, Device device) {
        return of(device).stream()
                .filter(one -> one.holding().resource().equals(resource.toString()))
                .map(one -> one.name()
                        .map(holder -> holder.namespace() + "/" + holder.pod())
                        .orElse(one.holding().pod()))
                .distinct()
                .toList();
    }

    /** The checkpoint belongs to the kubelet, but still no name in it may lead elsewhere. */
    private Optional<Instant> since(String uid) {
        if (!EndedPods.isName(uid)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.readAttributes(pods.resolve(uid), BasicFileAttributes.class)
                    .creationTime()
                    .toInstant());
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
