package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.kernel.IpProgram;
import io.edgeplug.system.kernel.Links;
import io.edgeplug.system.kernel.OwnNamespaces;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** What a real container runtime makes of the specifications; {@code src/test/interface} builds one and runs this. */
@ExtendWith(OwnNamespaces.class)
@Timeout(600)
@NeedsRoot("is in namespaces of its own")
final class RuntimeInterfaceTest {

    private static final String CDI = "example.com/net=" + InterfaceWorld.VF;

    @TempDir
    private Path directory = Path.of("");

    private ContainerRuntime runtime(InterfaceWorld world) throws Exception {
        return ContainerRuntime.start(Files.createDirectory(directory.resolve("runtime")), world.specifications());
    }

    /** What the kernel does with hardware when a namespace ends; a pair would end with it. */
    private static void giveBack(ContainerRuntime runtime, String sandbox, String name) throws Exception {
        String ignored =
                runtime.run("nsenter", "--net=" + runtime.namespace(sandbox), "ip", "link", "set", name, "netns", "1");
    }

    @Test
    void eachContainerOfThePodFindsTheInterfaceAndItComesBackAsItWas() throws Exception {
        try (Closing closing = new Closing()) {
            InterfaceWorld world = InterfaceWorld.open(closing, directory);
            Links.Link before = Links.read(world.index());
            ContainerRuntime runtime = closing.add(runtime(world));
            for (String pod : new String[] {"pod-a", "pod-b"}) {
                world.give(pod);
                String sandbox = runtime.sandbox(pod);
                for (int i = 0; i < 4; i++) {
                    world.start();
                    assertThat(runtime.start(sandbox, pod, CDI, "ip address; echo $EDGEPLUG_INTERFACE_0000_3B_01_0"))
                            .contains("net1@", "mtu 1400", "inet 192.0.2.7/24", before.mac())
                            .endsWith("net1");
                    world.showAsItIs();
                }
                assertThat(IpProgram.run("-o link show")).doesNotContain(": ens1f0v0@");
                giveBack(runtime, sandbox, "net1");
                runtime.remove(sandbox);
                world.showAsItIs();
                world.give("");
                world.await(custody -> custody.trouble().isPresent() || custody.isFree());
                world.showAsItIs();
                world.await(Custody::isFree);
                assertThat(Links.read(world.index())).isEqualTo(before);
                world.showAsItIs();
            }
        }
    }

    @Test
    void newSandboxOfThePodGetsTheInterface() throws Exception {
        try (Closing closing = new Closing()) {
            InterfaceWorld world = InterfaceWorld.open(closing, directory);
            ContainerRuntime runtime = closing.add(runtime(world));
            world.give("pod-a");
            String sandbox = runtime.sandbox("pod-a");
            world.start();
            assertThat(runtime.start(sandbox, "pod-a", CDI, "ip address")).contains("net1@");
            runtime.kill(sandbox);
            world.showAsItIs();
            giveBack(runtime, sandbox, "net1");
            runtime.remove(sandbox);
            IpProgram.run("link set net1 name ens1f0v0");
            world.showAsItIs();
            String second = runtime.sandbox("pod-a");
            world.start();
            assertThat(runtime.start(second, "pod-a", CDI, "ip address")).contains("net1@", "inet 192.0.2.7/24");
        }
    }

    /** The kernel moves the interface before it refuses the name, so the next start would succeed without it. */
    @Test
    void interfaceWhoseNameThePodHasAlreadyIsRefusedAtTheNextStart() throws Exception {
        try (Closing closing = new Closing()) {
            InterfaceWorld world = InterfaceWorld.open(closing, directory);
            ContainerRuntime runtime = closing.add(runtime(world));
            world.give("pod-a");
            String sandbox = runtime.sandbox("pod-a");
            runtime.run("nsenter", "--net=" + runtime.namespace(sandbox), "ip", "link", "add", "net1", "type", "veth");
            world.start();
            assertThat(runtime.start(sandbox, "pod-a", CDI, "ip address"))
                    .contains("fail to move network device ens1f0v0", "file exists");
            world.showAsItIs();
            assertThatThrownBy(world::start).hasMessageContaining("it is still called ens1f0v0 there");
        }
    }

    @Test
    void addressOfAFamilyThatThePodDoesNotHaveIsRefusedByTheRuntime() throws Exception {
        try (Closing closing = new Closing()) {
            InterfaceWorld world = InterfaceWorld.open(closing, directory);
            ContainerRuntime runtime = closing.add(runtime(world));
            world.give("pod-a");
            String sandbox = runtime.sandbox("pod-a");
            world.start();
            IpProgram.run("address add 2001:db8::7/64 dev ens1f0v0");
            IpProgram.run("address del 192.0.2.7/24 dev ens1f0v0");
            runtime.run(
                    "nsenter",
                    "--net=" + runtime.namespace(sandbox),
                    "sh",
                    "-c",
                    "mount -t proc none /proc; echo 1 >/proc/sys/net/ipv6/conf/all/disable_ipv6;"
                            + " echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6");
            assertThat(runtime.start(sandbox, "pod-a", CDI, "ip address"))
                    .contains("fail to set up address 2001:db8::7/64", "permission denied");
            world.showAsItIs();
            assertThatThrownBy(world::start).hasMessageContaining("it has no address there");
        }
    }
}
