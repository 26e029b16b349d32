package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.kernel.IpProgram;
import io.edgeplug.system.kernel.Links;
import io.edgeplug.system.kernel.Links.Link;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * A node with a VF whose interface pods get. The node is simulated, and the interface is a real one in the test's network
 * namespace.
 *
 * @param before the interface, as it was before any pod
 * @param directory the kubelet's, with its checkpoint
 */
public record InterfaceWorld(GroupedNode node, Resource resource, Link before, Path directory) {

    public static final String VF = "0000:3b:01.0";

    /** The class of the VF, to which tables can be added. */
    public static final String CLASS = """
            [[class]]
            resource = "example.com/net"
            kind = "vf"
            hand_over = "cdi"
            [class.match]
            pci_addresses = ["%s"]
            """.formatted(VF);

    private static final Duration SOON = Duration.ofMillis(100);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    static InterfaceWorld open(Closing closing, Path directory) throws Exception {
        int index = IpProgram.add("ens1f0v0");
        SimulatedNode node = closing.add(SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node")));
        show(node, index, "ens1f0v0");
        GroupedNode followed = GroupedNode.follow(closing, node, directory, CLASS + """
                [class.interface]
                mtu = 1400
                addresses = ["192.0.2.7/24"]
                """);
        return of(closing, followed, Links.read(index));
    }

    private static InterfaceWorld of(Closing closing, GroupedNode followed, Link before) {
        followed.preparations().uses.use(followed.directory(), followed.classes());
        Supply supply = followed.supplies(closing).each().getFirst();
        return new InterfaceWorld(followed, followed.resource(supply), before, followed.directory());
    }

    /** The same node after a reload of other classes, of which the first has the VF. */
    InterfaceWorld reloaded(Closing closing, String classes) throws Exception {
        List<DeviceClass> read = GroupedNode.read(directory, classes);
        return of(closing, new GroupedNode(node.node(), directory, read, node.monitor(), node.preparations()), before);
    }

    /** Has sysfs show that name of the interface; none while it is away. */
    public static void show(SimulatedNode node, int index, String... names) throws Exception {
        IpProgram.show(node.root().resolve("sys/bus/pci/devices/" + VF + "/net"), names);
        for (String name : names) {
            Path entry = node.root().resolve("sys/class/net/" + name);
            Files.deleteIfExists(entry.resolve("ifindex"));
            Files.createDirectories(entry);
            Files.writeString(entry.resolve("ifindex"), index + "\n");
        }
    }

    void show(String... names) throws Exception {
        show(node.node(), before.index(), names);
    }

    /** Has sysfs show the name that the interface has now, or none if it is away. */
    void showAsItIs() throws Exception {
        show(IpProgram.run("-o link show")
                .lines()
                .filter(line -> line.startsWith(before.index() + ": "))
                .map(line -> line.split("[ :@]+", 3)[1])
                .toArray(String[]::new));
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

    Path specifications() {
        return node.directories().cdi();
    }

    String specification() throws Exception {
        return Files.readString(specifications().resolve("edgeplug_example.com_net.json"))
                .replaceAll("\\s+", "");
    }

    Custody custody() {
        return node.monitor().custodian().of(VF);
    }

    /** Has done what is due, until the record of the VF is as wanted. */
    void await(Predicate<Custody> wanted) throws Exception {
        Custodian custodian = node.monitor().custodian();
        Deadline deadline = Deadline.in(PATIENCE);
        while (!wanted.test(custody()) && !deadline.isOver()) {
            node.preparations().uses.readAgain();
            node.preparations().reading.read();
            node.preparations().releases.follow(true, SOON);
            boolean unusedNews = custodian.await(() -> wanted.test(custody()), Deadline.in(SOON));
        }
        assertThat(wanted.test(custody())).as("%s", custody()).isTrue();
    }

    /** The VF has been given back, and its interface is as it was. */
    void awaitFree() throws Exception {
        await(Custody::isFree);
        assertThat(Links.read(before.index())).isEqualTo(before);
    }
}
