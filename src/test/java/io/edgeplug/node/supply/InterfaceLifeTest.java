package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.kernel.IpProgram;
import io.edgeplug.system.kernel.Links;
import io.edgeplug.system.kernel.OtherNamespace;
import io.edgeplug.system.kernel.OwnNamespaces;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The life of a VF whose interface pods get: from the kubelet's question before a start to the next pod. The node is
 * simulated, and its interface is a real one.
 */
@ExtendWith(OwnNamespaces.class)
@Timeout(120)
@NeedsRoot("is in namespaces of its own")
final class InterfaceLifeTest {

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    @Test
    void interfaceGoesFromPodToPod() throws Exception {
        InterfaceWorld world = InterfaceWorld.open(closing, directory);
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
            assertThat(world.custody().reason())
                    .contains("could not be scrubbed", "its network interface is not on the node again");
            world.give("pod-b");
            assertThatThrownBy(world::start).hasMessageContaining("its network interface is not on the node again");
            pod.giveBack("evil0");
        }
        world.show("evil0");

        world.give("pod-b");
        assertThatThrownBy(world::start).hasMessageContaining("renamed");
        world.show("ens1f0v0");
        assertThat(Links.read(world.before().index())).isEqualTo(world.before());
        world.start();
        assertThat(world.specification()).contains("{\"hostInterfaceName\":\"ens1f0v0\",\"name\":\"net1\"}");

        world.give("");
        world.awaitFree();
    }

    /** An administrator has made it a port of a bridge before its pod was scrubbed. */
    @Test
    void interfaceThatTheNodeUsesByNowIsLeftAlone() throws Exception {
        InterfaceWorld world = InterfaceWorld.open(closing, directory);
        world.give("pod-a");
        world.start();
        IpProgram.run("link set ens1f0v0 name net1 up");
        world.showAsItIs();
        Path master = world.node().node().root().resolve("sys/class/net/net1/master");
        Files.createSymbolicLink(master, Path.of("../br0"));
        world.give("");
        world.await(custody -> custody.trouble().isPresent());
        assertThat(world.custody().reason())
                .contains("its network interface net1 is not restored: the node uses it itself", "br0");
        assertThat(IpProgram.run("link show dev net1")).contains("mtu 1400", ",UP");

        Files.delete(master);
        world.awaitFree();
    }

    @Test
    void podThatNeverStartedLeavesTheInterfaceAsItWas() throws Exception {
        InterfaceWorld world = InterfaceWorld.open(closing, directory);
        world.give("pod-a");
        world.start();
        assertThat(Links.read(world.before().index())).isNotEqualTo(world.before());
        world.give("");
        world.awaitFree();
    }

    /** runc moves the interface into the namespace where it is, so it gets its new name on the node. */
    @Test
    void podInTheNetworkOfTheNodeLeavesTheInterfaceAsItWas() throws Exception {
        InterfaceWorld world = InterfaceWorld.open(closing, directory);
        world.give("pod-a");
        world.start();
        for (int i = 0; i < 2; i++) {
            IpProgram.run("link set ens1f0v0 name net1 up");
            world.showAsItIs();
            // sysfs follows the name that it gets back; here, the first try finds the other one.
            assertThatThrownBy(world::start).hasMessageContaining("renamed");
            world.showAsItIs();
            world.start();
        }
        IpProgram.run("link set ens1f0v0 name net1 up");
        world.showAsItIs();
        world.give("");
        world.awaitFree();
    }

    /** An administrator takes [class.interface] away, the whole class, or changes its resource. */
    @ParameterizedTest
    @ValueSource(strings = {"", "[class.prepare]\nreset = \"flr\"\n", "other"})
    void podThatEndsAfterAReloadLeavesTheInterfaceAsItWas(String change) throws Exception {
        InterfaceWorld world = InterfaceWorld.open(closing, directory);
        world.give("pod-a");
        world.start();
        try (OtherNamespace pod = new OtherNamespace()) {
            pod.take("ens1f0v0", "net1");
            world.show();
            String classes = change.equals("other")
                    ? InterfaceWorld.CLASS.replace("example.com/net", "example.com/other")
                    : InterfaceWorld.CLASS + change;
            world = world.reloaded(closing, classes);
            if (change.startsWith("[class.prepare]")) {
                // The reset would take the interface away from the pod.
                assertThatThrownBy(world::start)
                        .hasMessageContaining("its network interface has been moved into a network namespace");
            }
            pod.giveBack("net1");
        }
        world.showAsItIs();
        world.give("");
        world.await(custody -> custody.traces().isEmpty());
        assertThat(Links.read(world.before().index())).isEqualTo(world.before());
    }
}
