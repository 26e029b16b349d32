package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.kernel.IpProgram;
import io.edgeplug.system.kernel.Links;
import io.edgeplug.system.kernel.OtherNamespace;
import io.edgeplug.system.kernel.OwnNamespaces;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The life of a VF whose interface pods get: from the kubelet's question before a start to the next pod. The node is
 * simulated, and its interface is a real one.
 */
@ExtendWith(OwnNamespaces.class)
@Timeout(120)
@NeedsRoot("is in namespaces of its own")
final class InterfaceLifeTest {

    private static final String VF = "0000:3b:01.0";
    private static final Duration SOON = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path directory = Path.of("");

    private record World(GroupedNode node, Resource resource, int index, Path directory) {

        static World open(Closing closing, Path directory) throws Exception {
            int index = IpProgram.add("ens1f0v0");
            SimulatedNode node = closing.add(SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node")));
            show(node, index, "ens1f0v0");
            GroupedNode followed = GroupedNode.follow(closing, node, directory, """
                    [[class]]
                    resource = "example.com/net"
                    kind = "vf"
                    hand_over = "cdi"
                    [class.match]
                    pci_addresses = ["%s"]
                    [class.interface]
                    mtu = 1400
                    addresses = ["192.0.2.7/24"]
                    """.formatted(VF));
            followed.preparations().uses.use(directory, followed.classes());
            Supply supply = followed.supplies(closing).each().getFirst();
            return new World(followed, followed.resource(supply), index, directory);
        }

        /** Has sysfs show that name of the interface; none while it is away. */
        private static void show(SimulatedNode node, int index, String... names) throws Exception {
            Path net = node.root().resolve("sys/bus/pci/devices/" + VF + "/net");
            for (String old : List.of("ens1f0v0", "evil0")) {
                Path one = net.resolve(old);
                if (Files.exists(one)) {
                    for (String file : List.of("type", "operstate", "ifindex", "address")) {
                        Files.deleteIfExists(one.resolve(file));
                    }
                    try (var left = Files.walk(one)) {
                        for (Path file :
                                left.sorted(java.util.Comparator.reverseOrder()).toList()) {
                            Files.delete(file);
                        }
                    }
                }
            }
            for (String name : names) {
                Files.createDirectories(net.resolve(name));
                Path entry = node.root().resolve("sys/class/net/" + name);
                Files.deleteIfExists(entry.resolve("ifindex"));
                Files.createDirectories(entry);
                Files.writeString(entry.resolve("ifindex"), index + "\n");
            }
        }

        void show(String... names) throws Exception {
            show(node.node(), index, names);
        }

        /** What the kubelet notes before it asks. */
        void give(String pod) throws Exception {
            String entry = pod.isEmpty() ? "" : """
                    {"PodUID":"%s","ContainerName":"main","ResourceName":"example.com/net","DeviceIDs":["%s"]}""".formatted(pod, VF);
            Files.writeString(directory.resolve(HeldDevices.FILE), """
                    {"Data":{"PodDeviceEntries":[%s],"RegisteredDevices":{}},"Checksum":1}
                    """.formatted(entry));
        }

        void start() throws Exception {
            resource.prepare(Set.of(VF));
        }

        String specification() throws Exception {
            return Files.readString(node.directories().cdi().resolve("edgeplug_example.com_net.json"))
                    .replaceAll("\\s+", "");
        }

        /** Has done what is due, until the record of the VF is as wanted. */
        void await(Predicate<Custody> wanted) throws Exception {
            Custodian custodian = node.monitor().custodian();
            Deadline deadline = Deadline.in(PATIENCE);
            while (!wanted.test(custodian.of(VF)) && !deadline.isOver()) {
                node.preparations().uses.readAgain();
                node.preparations().reading.read();
                node.preparations().releases.follow(true, SOON);
                boolean unusedNews = custodian.await(() -> wanted.test(custodian.of(VF)), Deadline.in(SOON));
            }
            assertThat(wanted.test(custodian.of(VF))).as("%s", custodian.of(VF)).isTrue();
        }
    }

    @Test
    void interfaceGoesFromPodToPod() throws Exception {
        try (Closing closing = new Closing()) {
            World world = World.open(closing, directory);
            Links.Link before = Links.read(world.index());
            world.give("pod-a");
            world.start();
            assertThat(world.specification())
                    .contains("\"cdiVersion\":\"1.1.0\"", "{\"hostInterfaceName\":\"ens1f0v0\",\"name\":\"net1\"}");
            assertThat(IpProgram.run("address show dev ens1f0v0")).contains("192.0.2.7/24", "mtu 1400");

            try (OtherNamespace pod = new OtherNamespace()) {
                pod.take("ens1f0v0", "net1");
                world.show();
                pod.ip("link set net1 name evil0 address 02:00:00:00:66:66");

                // The container starts again in its pod, as often as it likes.
                for (int i = 0; i < 3; i++) {
                    world.start();
                    assertThat(world.specification())
                            .doesNotContain("netDevices", "1.1.0")
                            .contains("=net1");
                }

                // The pod is gone, and something holds its network namespace.
                world.give("");
                world.await(custody -> custody.trouble().isPresent());
                assertThat(world.node().monitor().custodian().of(VF).reason())
                        .contains("could not be scrubbed", "its network interface is not on the node again");
                world.give("pod-b");
                assertThatThrownBy(world::start).hasMessageContaining("its network interface is not on the node again");
                pod.giveBack("evil0");
            }
            world.show("evil0");

            world.give("pod-b");
            assertThatThrownBy(world::start).hasMessageContaining("renamed");
            world.show("ens1f0v0");
            assertThat(Links.read(world.index())).isEqualTo(before);
            world.start();
            assertThat(world.specification()).contains("{\"hostInterfaceName\":\"ens1f0v0\",\"name\":\"net1\"}");

            world.give("");
            world.await(Custody::isFree);
            assertThat(Links.read(world.index())).isEqualTo(before);
        }
    }

    @Test
    void podThatNeverStartedLeavesTheInterfaceAsItWas() throws Exception {
        try (Closing closing = new Closing()) {
            World world = World.open(closing, directory);
            Links.Link before = Links.read(world.index());
            world.give("pod-a");
            world.start();
            assertThat(Links.read(world.index())).isNotEqualTo(before);
            world.give("");
            world.await(Custody::isFree);
            assertThat(Links.read(world.index())).isEqualTo(before);
        }
    }
}
