package io.edgeplug.bench;

import io.edgeplug.container.ContainerDirectories;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.kubelet.DevicePlugins;
import io.edgeplug.kubelet.Preparations;
import io.edgeplug.kubelet.Supplies;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.linux.UeventSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The daemon's parts as the daemon wires them. */
final class Parts implements AutoCloseable {

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Monitor monitor;

    private Parts(Sysfs sysfs, Path directory, List<DeviceClass> classes, UeventSource uevents, Duration settle)
            throws IOException {
        Path kubeletDir = kubeletDir(directory);
        monitor = open(Monitor.open(sysfs, classes, uevents, settle));
        Preparations preparations = open(new Preparations(sysfs, monitor, kubeletDir));
        Supplies supplies = open(Supplies.open(sysfs, ContainerDirectories.below(directory), monitor, classes));
        open(DevicePlugins.open(kubeletDir, supplies, preparations));
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

    Monitor monitor() {
        return monitor;
    }

    private <T extends AutoCloseable> T open(T one) {
        opened.push(one);
        return one;
    }

    @Override
    public void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }
}
