package io.edgeplug.bench;

import io.edgeplug.device.DeviceClass;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.linux.UeventSource;
import io.edgeplug.localkubelet.KubeletEvent;
import io.edgeplug.localkubelet.LocalKubelet;
import io.edgeplug.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Consumer;

/** The daemon's parts on a simulated node, with a local kubelet on real sockets, all in this JVM. */
final class Rig implements AutoCloseable {

    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final Path directory;
    private final SimulatedNode node;
    private final LocalKubelet kubelet;
    private final Parts parts;

    private Rig(String tree, List<DeviceClass> classes, Events events, Duration settle, Consumer<KubeletEvent> listener)
            throws IOException {
        directory = open(Scratch.make()).directory();
        node = open(SimulatedNode.unpack(tree, directory.resolve("node")));
        kubelet = open(LocalKubelet.open(kubeletDir(), listener));
        parts = open(Parts.open(node.sysfs(), directory, classes, events.open(node), settle));
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
        return parts.monitor();
    }

    LocalKubelet kubelet() {
        return kubelet;
    }

    Path kubeletDir() {
        return Parts.kubeletDir(directory);
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
