package io.edgeplug.bench;

import io.edgeplug.api.kubelet.DevicePlugins;
import io.edgeplug.api.status.NodeStatus.KubeletStatus;
import io.edgeplug.api.status.NodeView;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.ContainerDirectories;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.supply.Preparations;
import io.edgeplug.node.supply.Supplies;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.udev.UeventSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The daemon's parts as the daemon wires them. */
final class Parts implements AutoCloseable {

    private final Monitor monitor;
    private final Preparations preparations;
    private final Supplies supplies;
    private final DevicePlugins plugins;

    private Parts(Sysfs sysfs, Path directory, List<DeviceClass> classes, UeventSource uevents, Duration settle)
            throws IOException {
        Path kubeletDir = kubeletDir(directory);
        monitor = Monitor.open(sysfs, classes, uevents, settle);
        preparations = new Preparations(sysfs, monitor, kubeletDir);
        supplies = new Supplies(sysfs, ContainerDirectories.below(directory), monitor, classes);
        plugins = new DevicePlugins(null, kubeletDir, directory, supplies, preparations, PreparedClaims.none());
    }

    /**
     * Starts them; the kubelet may not know of any resource yet.
     *
     * @param directory for their files, among them the kubelet's directory
     */
    static Parts open(Sysfs sysfs, Path directory, List<DeviceClass> classes, UeventSource uevents, Duration settle)
            throws IOException {
        return new Parts(sysfs, directory, classes, uevents, settle);
    }

    /** Where the kubelet's sockets are. */
    static Path kubeletDir(Path directory) {
        return directory.resolve("dp");
    }

    /** What status and metrics are made of. */
    NodeView view() {
        return new NodeView(
                supplies,
                preparations,
                () -> new KubeletStatus(
                        plugins.kubeletAbsence(), Set.copyOf(plugins.registered()), plugins.registrations()),
                Optional::empty);
    }

    Monitor monitor() {
        return monitor;
    }

    @Override
    public void close() throws Exception {
        try (monitor;
                preparations;
                supplies;
                plugins) {
            // closed in reverse
        }
    }
}
