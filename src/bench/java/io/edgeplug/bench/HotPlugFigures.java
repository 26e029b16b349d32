package io.edgeplug.bench;

import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.ResourceName;
import io.edgeplug.localkubelet.KubeletEvent;
import io.edgeplug.localkubelet.ListedDevice;
import io.edgeplug.localkubelet.LocalKubelet;
import io.edgeplug.simulation.SimulatedNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** How long the kubelet does not know yet: from the uevent of a VF until its list has come, by the size of the node. */
final class HotPlugFigures implements Section {

    private static final Duration SETTLE = Duration.ofMillis(150);
    private static final long PATIENCE_SECONDS = 30;
    private static final int ROUNDS = 200;
    private static final int WARM_UP = 50;

    /** The VF that comes and goes. */
    private static final int NUMBER = 3;

    @Override
    public String name() {
        return "hotplug";
    }

    @Override
    public void measure(Consumer<Figure> figures) throws Exception {
        for (int functions : List.of(16, 256)) {
            measure(functions + " functions", functions, List.of(BigNode.allVfs()), functions - 1, figures);
        }
        int all = 4096;
        List<DeviceClass> byPf = BigNode.byPf(all);
        measure("4,096 functions, " + byPf.size() + " resources", all, byPf, all / byPf.size() - 1, figures);
        measure("4,096 functions, 1 resource", all, List.of(BigNode.allVfs()), all - byPf.size(), figures);
    }

    /** Of the first of these classes, to which so many VFs belong. */
    private static void measure(
            String what, int functions, List<DeviceClass> classes, int vfs, Consumer<Figure> figures) throws Exception {
        Samples removals = new Samples();
        Samples additions = new Samples();
        Lists lists = new Lists(classes.getFirst().resource());
        try (Scratch scratch = Scratch.make();
                SimulatedNode node = SimulatedNode.unpack(
                        BigNode.tree(functions), scratch.directory().resolve("node"));
                LocalKubelet kubelet = LocalKubelet.open(Parts.kubeletDir(scratch.directory()), lists::note);
                PartsJvm parts =
                        PartsJvm.start(node.root(), scratch.directory(), classes.size() > 1 ? functions : 0, SETTLE)) {
            lists.await(vfs);
            PciAddress address = BigNode.address(NUMBER);
            for (int i = 0; i < WARM_UP + ROUNDS; i++) {
                node.pull(address);
                long removal = -parts.tell("remove", address) + lists.await(vfs - 1);
                node.plug(BigNode.function(NUMBER));
                long addition = -parts.tell("add", address) + lists.await(vfs);
                if (i >= WARM_UP) {
                    removals.add(removal);
                    additions.add(addition);
                }
            }
        }
        figures.accept(removals.millis("removal -> list, " + what).with(Target.p99(10)));
        figures.accept(
                additions.millis("addition -> list, settle 150 ms, " + what).with(Target.p99(SETTLE.toMillis() + 10)));
    }

    /** The lists that came, each with the time. */
    private static final class Lists {

        private record Came(int healthy, long when) {}

        private final BlockingQueue<Came> came = new LinkedBlockingQueue<>();
        private final ResourceName resource;

        Lists(ResourceName resource) {
            this.resource = resource;
        }

        void note(KubeletEvent event) {
            long now = System.nanoTime();
            if (event instanceof KubeletEvent.DeviceList list && list.resource().equals(resource)) {
                int healthy = (int)
                        list.devices().stream().filter(ListedDevice::healthy).count();
                came.add(new Came(healthy, now));
            }
        }

        /** When the list came that has so many. */
        long await(int healthy) throws InterruptedException, TimeoutException {
            while (true) {
                Came next = came.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
                if (next == null) {
                    throw new TimeoutException("no list of " + healthy + " devices");
                }
                if (next.healthy() == healthy) {
                    return next.when();
                }
            }
        }
    }
}
