package io.edgeplug.bench;

import io.edgeplug.api.status.NodeView;
import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.system.udev.UeventSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** The daemon's parts on a simulated node, with a local kubelet on real sockets, all in this JVM. */
final class Rig implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Scratch scratch;
    private final SimulatedNode node;
    private final LocalKubelet kubelet;
    private final Parts parts;

    private Rig(String tree, List<DeviceClass> classes, Events events, Duration settle, Consumer<KubeletEvent> listener)
            throws IOException {
        scratch = Scratch.make();
        node = SimulatedNode.unpack(tree, scratch.directory().resolve("node"));
        kubelet = LocalKubelet.open(kubeletDir(), listener);
        parts = Parts.open(node.sysfs(), scratch.directory(), classes, events.open(node), settle);
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

    NodeView view() {
        return parts.view();
    }

    /** Where files may be made. */
    Path directory() {
        return scratch.directory();
    }

    Monitor monitor() {
        return parts.monitor();
    }

    LocalKubelet kubelet() {
        return kubelet;
    }

    /** Where the plugin of a resource is called, once the kubelet has so many of its devices. */
    Path socket(ResourceName resource, int devices) throws InterruptedException, TimeoutException {
        return kubeletDir()
                .resolve("edgeplug")
                .resolve(kubelet.await(resource, state -> state.allocatable() == devices, PATIENCE)
                        .endpoint()
                        .orElseThrow());
    }

    private Path kubeletDir() {
        return Parts.kubeletDir(scratch.directory());
    }

    @Override
    public void close() throws Exception {
        try (scratch;
                node;
                kubelet;
                parts) {
            // closed in reverse
        }
    }
}
