package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.device.Device;
import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.UnixRpc;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.pods.PodNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The pods of a node that hold a device, by the kubelet's notes. They are shown as {@code namespace/name} if the
 * kubelet answers, and otherwise by UID. Without a kubelet, or for a user who may not read its notes, nothing is known.
 */
final class PodsOfDevices {

    private final Optional<HeldDevices> held;
    private final Optional<PodNames> names;

    private PodsOfDevices(Optional<HeldDevices> held, Optional<PodNames> names) {
        this.held = held;
        this.names = names;
    }

    static PodsOfDevices read(Sysroot node, Config config) throws IOException {
        Optional<Path> directory = node.kubeletDir(config.kubeletDir());
        Optional<HeldDevices> held = directory.flatMap(PodsOfDevices::held);
        return new PodsOfDevices(
                held, held.isPresent() && node.isThisNode() ? names(directory.orElseThrow()) : Optional.empty());
    }

    private static Optional<HeldDevices> held(Path kubeletDir) {
        try {
            return Optional.of(HeldDevices.read(kubeletDir));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<PodNames> names(Path kubeletDir) {
        try (UnixRpc rpc = UnixRpc.open()) {
            return Optional.of(PodNames.read(rpc, Objects.requireNonNull(kubeletDir.getParent()), resource -> true));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** Each pod once, even if it has several shares of the device. */
    List<String> of(ResourceName resource, Device device) {
        return held.stream()
                .flatMap(all -> all.all(resource, device).stream())
                .map(this::name)
                .distinct()
                .toList();
    }

    private String name(Holding holding) {
        return names.flatMap(known -> known.of(holding))
                .map(holder -> holder.namespace() + "/" + holder.pod())
                .orElse(holding.pod());
    }
}
