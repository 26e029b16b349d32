package io.edgeplug.node.vfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.node.inventory.Inventory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** No plan touches a function that carries the node's own traffic, and no class offers one alone, on any node. */
final class NodeTrafficTest {

    private static final int NETWORKS = System.getProperty("soak") == null ? 100 : 400;

    /** Each would change all VFs of a PF, or the PF itself. */
    private static final List<String> PLANS =
            List.of("count = 0", "count = 7", "count = 1\ndriver = \"vfio-pci\"", "count = 2\neswitch = \"switchdev\"");

    @TempDir
    private Path root = Path.of("");

    static List<String> machines() throws Exception {
        return Machine.names();
    }

    @Test
    void planLeavesWhatTheDefaultRouteNeedsHoweverInterfacesAreStacked() throws Exception {
        int carrying = 0;
        for (int seed = 0; seed < NETWORKS; seed++) {
            RandomNetwork network = new RandomNetwork(seed);
            carrying += network.carrying().size();
            try (SimulatedNode node = network.unpack(root.resolve(String.valueOf(seed)))) {
                for (String plan : PLANS) {
                    assertThat(touched(node, plan))
                            .as("%s, seed %d, default route on %s", plan, seed, network.routed())
                            .doesNotContainAnyElementsOf(network.carrying());
                }
                assertThat(offered(node))
                        .as("seed %d, default route on %s", seed, network.routed())
                        .doesNotContainAnyElementsOf(network.carrying());
            }
        }
        assertThat(carrying).isGreaterThan(NETWORKS / 2);
    }

    @ParameterizedTest
    @MethodSource("machines")
    void planLeavesTheFunctionWithTheDefaultRouteOnEachMachine(String machine) throws Exception {
        try (SimulatedNode node =
                SimulatedNode.unpack(Files.readString(Machine.file(machine, "tree")), root.resolve("node"))) {
            Path routes =
                    Files.createDirectories(node.root().resolve("proc/net")).resolve("route");
            for (PciDevice function : someWithInterface(node)) {
                String net = function.function().netNames().getFirst();
                Files.writeString(routes, net + " 00000000 0101A8C0 0003 0 0 100 00000000 0 0 0\n");
                for (String plan : PLANS) {
                    assertThat(touched(node, plan))
                            .as(plan)
                            .doesNotContain(function.function().address().toString());
                }
            }
        }
    }

    /** The first VFs of each PF, and all other functions. */
    private static List<PciDevice> someWithInterface(SimulatedNode node) throws Exception {
        return Inventory.scan(node.sysfs(), List.of()).devices().stream()
                .filter(PciDevice.class::isInstance)
                .map(PciDevice.class::cast)
                .filter(device -> !device.function().netNames().isEmpty())
                .limit(8)
                .toList();
    }

    /** The functions that would be removed, changed or bound anew. */
    private Set<String> touched(SimulatedNode node, String lines) throws Exception {
        List<WantedVfs> entries = ConfigFiles.read(Files.writeString(
                        root.resolve("edgeplug.toml"), "[[vfs]]\n" + lines + "\nmatch = { drivers = [\"*\"] }\n"))
                .vfs();
        Set<String> touched = new TreeSet<>();
        for (PfPlan plan : new NodeVfs(node.sysfs(), null, null).plan(entries)) {
            if (!plan.steps().isEmpty()) {
                VfsPlanner.touched(plan).stream()
                        // A PF stays as it is for the node while it gets its first VFs.
                        .filter(function -> !function.equals(plan.pf().address()))
                        .map(PciAddress::toString)
                        .forEach(touched::add);
            }
            if (plan.steps().stream().anyMatch(step -> step instanceof VfsStep.Eswitch)) {
                touched.add(plan.pf().address().toString());
            }
        }
        return touched;
    }

    private Set<String> offered(SimulatedNode node) throws Exception {
        List<DeviceClass> classes = ConfigFiles.read(Files.writeString(root.resolve("classes.toml"), """
                        [[class]]
                        resource = "example.com/nic"
                        kind = "nic"
                        match = { drivers = ["*"] }

                        [[class]]
                        resource = "example.com/vf"
                        kind = "vf"
                        match = { drivers = ["*"] }
                        """))
                .classes();
        Inventory inventory = Inventory.scan(node.sysfs(), classes);
        Set<String> offered = new TreeSet<>();
        for (Inventory.Item item : inventory.items()) {
            Device device = item.device();
            if (item.deviceClass().isPresent()) {
                offered.add(device.id());
            }
        }
        return offered;
    }
}
