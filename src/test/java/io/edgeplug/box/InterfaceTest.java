package io.edgeplug.box;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** VFs that become interfaces of pods, by a container runtime that moves them, which Debian's is too old for. */
@NodeScenario
final class InterfaceTest {

    /** The resource of src/test/kubelets/interfaces/etc/edgeplug/edgeplug.toml. */
    private static final String NET = "example.com/net=1";

    private static final Set<String> LIST = Set.of("resource=\"example.com/net\" resourceCapacity=1");
    private static final String NET_FUNCTION = "0000:41:10.2";

    /** What a container sees of the interface that it has been given. */
    private static final String LOOK = """
            cat /sys/class/net/net1/address /sys/class/net/net1/mtu
            busybox ip -o address show dev net1 | grep -o 'inet [0-9./]*'
            env | grep ^EDGEPLUG_INTERFACE_
            """;

    /** What the node sees of the interface: name, MAC address, MTU, flags, and addresses. */
    private static final String ON_NODE = "cd /sys/bus/pci/devices/" + NET_FUNCTION
            + "/net/* && echo ${PWD##*/} $(cat address mtu flags) $(ip -o address show dev ${PWD##*/})";

    private static final Path FILES = Path.of("src/test/kubelets");

    private static RealKubelet kubelet(RealKubelets kubelets)
            throws IOException, InterruptedException, TimeoutException {
        assumeThat(Box.isInstalled("pkg-config") || System.getenv(NodeInBox.MUST) != null)
                .as("runc is built: apt-get install gcc libc6-dev libseccomp-dev pkg-config")
                .isTrue();
        return new RealKubelet(kubelets.after("interfaces", Release.NEWEST, InterfaceTest::install));
    }

    private static void install(Node node) throws IOException, InterruptedException, TimeoutException {
        String runtime = Release.print(FILES.resolve("runtime").toString());
        node.run("systemctl stop kubelet.service containerd.service"
                + " && rm -f /var/lib/kubelet/device-plugins/kubelet_internal_checkpoint");
        node.unpack("/usr/bin", "-C", runtime, "containerd", "containerd-shim-runc-v2");
        node.unpack("/usr/sbin", "-C", runtime, "runc");
        node.unpack("/", "-C", FILES.resolve("interfaces").toString(), ".");
        node.run("systemctl start containerd.service");
        Installation.reload(node);
        node.run("systemctl start kubelet.service");
        new RealKubelet(node).awaitLists(LIST);
    }

    private static StaticPod pod(String name) {
        return StaticPod.of(name, LOOK, NET).withOwnNetwork();
    }

    private static void awaitOnNode(Node node, String state) throws Exception {
        node.run("for i in $(seq 300); do [ \"$(" + ON_NODE + ")\" != '" + state + "' ] || break; sleep 0.3; done");
        assertThat(node.run(ON_NODE)).isEqualTo(state);
    }

    /** What a container prints that has the interface which looks like this on the node. */
    private static String seen(String onNode) {
        return onNode.split(" ", 3)[1] + "\n1400\ninet 203.0.113.1/24\nEDGEPLUG_INTERFACE_0000_41_10_2=net1";
    }

    private static void remove(Node node, String pod) throws Exception {
        node.run("rm /etc/kubernetes/manifests/" + pod + ".json");
    }

    /** The kubelet refuses pods for good until it knows that the device is healthy again. Returns the name of the first other. */
    private static String startNext(RealKubelet kubelet) throws Exception {
        for (int i = 1; true; i++) {
            String pod = "next" + i;
            kubelet.start(pod(pod));
            JsonObject status = kubelet.awaitStatus(pod, it -> RealKubelet.isRefused(it) || RealKubelet.isRunning(it));
            if (RealKubelet.isRunning(status)) {
                return pod;
            }
            assertThat(i).as("%s", status).isLessThan(10);
        }
    }

    @Test
    void eachContainerOfAPodHasItsInterfaceAndTheNextPodGetsItAsItWas(RealKubelets kubelets) throws Exception {
        RealKubelet kubelet = kubelet(kubelets);
        Node node = kubelet.node();
        String before = node.run(ON_NODE);
        kubelet.start(pod("pod").after(LOOK, NET));
        JsonObject running = kubelet.awaitRunning("pod");
        assertThat(kubelet.printed("pod", "first")).isEqualTo(seen(before));
        assertThat(kubelet.printed("pod", "main")).isEqualTo(seen(before));

        for (int i = 0; i < 2; i++) {
            running = kubelet.killContainer("pod", running);
            assertThat(kubelet.printed("pod", "main")).isEqualTo(seen(before));
        }
        String container = RealKubelet.runs(running).getFirst();
        String sandbox = node.run("ctr -n k8s.io tasks ls -q | grep -v " + container);
        kubelet.kill(sandbox, "pod", running);
        assertThat(kubelet.printed("pod", "main")).isEqualTo(seen(before));

        assertThat(node.run("ip link show dev $(ls /sys/bus/pci/devices/" + Installation.PF1 + "/net) | grep ' vf 1 '"))
                .contains("vlan 100");

        remove(node, "pod");
        awaitOnNode(node, before);
        assertThat(kubelet.printed(startNext(kubelet), "main")).isEqualTo(seen(before));
    }

    @Test
    void interfaceOutlivesWhatIsKilledAndEachOfItsPodsHasIt(RealKubelets kubelets) throws Exception {
        RealKubelet kubelet = kubelet(kubelets);
        Node node = kubelet.node();
        String before = node.run(ON_NODE);
        String kill = "systemctl kill -s KILL edgeplug.service";
        kubelet.start(pod("pod"));
        node.run("until [ \"$(cat /sys/bus/pci/devices/" + NET_FUNCTION
                + "/net/*/mtu)\" != 1500 ]; do sleep 0.1; done; " + kill);
        JsonObject running = kubelet.awaitRunning("pod");
        assertThat(kubelet.printed("pod", "main")).isEqualTo(seen(before));

        node.run(kill);
        running = kubelet.killContainer("pod", running);
        assertThat(kubelet.printed("pod", "main")).isEqualTo(seen(before));

        node.run("systemctl restart kubelet.service");
        kubelet.awaitLists(LIST);
        kubelet.killContainer("pod", running);
        assertThat(kubelet.printed("pod", "main")).isEqualTo(seen(before));

        node.run("systemctl stop edgeplug.service");
        remove(node, "pod");
        node.run("until ls /sys/bus/pci/devices/" + NET_FUNCTION + "/net/*; do sleep 0.5; done");
        node.run("systemctl start edgeplug.service");
        awaitOnNode(node, before);

        String next = startNext(kubelet);
        running = kubelet.awaitRunning(next);
        node.vfs(Installation.PF1, 0);
        JsonObject ignored =
                kubelet.awaitStatus(next, it -> RealKubelet.health(it).equals("Unhealthy"));
        node.vfs(Installation.PF1, 4);
        kubelet.awaitStatus(next, it -> RealKubelet.health(it).equals("Healthy"));
        String made = node.run(ON_NODE);
        kubelet.killContainer(next, running);
        assertThat(kubelet.printed(next, "main")).isEqualTo(seen(made));
    }
}
