package io.edgeplug.bench;

import io.edgeplug.container.ContainerDirectories;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.kubelet.DevicePlugins;
import io.edgeplug.kubelet.Preparations;
import io.edgeplug.kubelet.Supplies;
import io.edgeplug.linux.UeventSource;
import io.edgeplug.localkubelet.KubeletEvent;
import io.edgeplug.localkubelet.LocalKubelet;
import io.edgeplug.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The daemon's parts as the daemon wires them, on a simulated node, with a local kubelet on real sockets. */
final class Rig implements AutoCloseable {

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Path directory;
    private final SimulatedNode node;
    private final Monitor monitor;
    private final LocalKubelet kubelet;

    private Rig(String tree, List<DeviceClass> classes, Events events, Duration settle, Consumer<KubeletEvent> listener)
            throws IOException {
        directory = Files.createTempDirectory("edgeplug-bench");
        opened.push(this::removeFiles);
        node = open(SimulatedNode.unpack(tree, directory.resolve("node")));
        UeventSource uevents = events.open(node);
        monitor = open(Monitor.open(node.sysfs(), classes, uevents, settle));
        Preparations preparations = open(new Preparations(node.sysfs(), monitor, kubeletDir()));
        Supplies supplies = open(Supplies.open(node.sysfs(), ContainerDirectories.below(directory), monitor, classes));
        kubelet = open(LocalKubelet.open(kubeletDir(), listener));
        open(DevicePlugins.open(kubeletDir(), supplies, preparations));
    }

    /** Where a rig hears of its node. */
    interface Events {
        UeventSource open(SimulatedNode node) throws IOException;
    }

    /** Starts all of it; the kubelet may not know of any resource yet. */
    static Rig open(
            String tree, List<DeviceClass> classes, Events events, Duration settle, Consumer<KubeletEvent> listener)
            throws IOException {
        return new Rig(tree, classes, events, settle, listener);
    }

    SimulatedNode node() {
        return node;
    }

    Monitor monitor() {
        return monitor;
    }

    LocalKubelet kubelet() {
        return kubelet;
    }

    Path kubeletDir() {
        return directory.resolve("dp");
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

    private void removeFiles() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
