package io.edgeplug.bench;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.rules.DeviceClass;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;

/** How long the kubelet does not know yet: from the uevent of a VF until its list has come, by the size of the node. */
final class HotPlugFigures implements Section {

    private static final Duration SETTLE = Duration.ofMillis(150);
    private static final String REMOVAL = "removal -> list, ";
    private static final String ADDITION = "addition -> list, settle " + SETTLE.toMillis() + " ms, ";

    /** The node that larger ones are compared with. */
    private static final String SMALLEST = "16 functions";

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
            measure(functions + " functions", functions, false, figures);
        }
        measure("4,096 functions, 16 resources", 4096, true, figures);
        measure("4,096 functions, 1 resource", 4096, false, figures);
    }

    /** Of one of all VFs, or of the first PF's if each PF's are a resource. */
    private static void measure(String what, int functions, boolean byPf, Consumer<Figure> figures) throws Exception {
        List<DeviceClass> pfs = BigNode.byPf(functions);
        DeviceClass first = byPf ? pfs.getFirst() : BigNode.allVfs();
        int vfs = byPf ? functions / pfs.size() - 1 : functions - pfs.size();
        Samples removals = new Samples();
        Samples additions = new Samples();
        Lists lists = new Lists(first.resource());
        try (Scratch scratch = Scratch.make();
                SimulatedNode node = SimulatedNode.unpack(
                        BigNode.tree(functions), scratch.directory().resolve("node"));
                LocalKubelet kubelet = LocalKubelet.open(Parts.kubeletDir(scratch.directory()), lists::note);
                PartsJvm parts = PartsJvm.start(node.root(), scratch.directory(), byPf ? functions : 0, SETTLE)) {
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
        Figure removal = removals.millis(REMOVAL + what).with(Target.p99(10));
        Figure addition = additions.millis(ADDITION + what).with(Target.p99(SETTLE.toMillis() + 10));
        figures.accept(what.equals(SMALLEST) ? removal : removal.above(REMOVAL + SMALLEST));
        figures.accept(what.equals(SMALLEST) ? addition : addition.above(ADDITION + SMALLEST));
    }
}
