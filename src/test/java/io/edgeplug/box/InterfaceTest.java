package io.edgeplug.box;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** VFs that become interfaces of pods, by a container runtime that moves them, which Debian's is too old for. */
@NodeScenario
final class InterfaceTest {

    /** The resources of src/test/kubelets/interfaces/etc/edgeplug/edgeplug.toml. */
    private static final String NET = "example.com/net=1";

    private static final String PEER = "example.com/peer=1";
    private static final Set<String> LISTS = Set.of(
            "resource=\"example.com/net\" resourceCapacity=1", "resource=\"example.com/peer\" resourceCapacity=1");

    private static final String NET_FUNCTION = "0000:41:10.2";
    private static final String PEER_FUNCTION = "0000:41:10.6";
    private static final String INTERFACES = "/sys/bus/pci/devices/" + NET_FUNCTION + "/net";

    /** What each container of a pod sees of its interface. */
    private static final String LOOK = """
            cat /sys/class/net/net1/address /sys/class/net/net1/mtu
            busybox ip -o address show dev net1 | grep -o 'inet [0-9./]*'
            """;

    /** What the node sees of the interface: name, MAC address, MTU, flags, and addresses. */
    private static final String ON_NODE =
            "cd " + INTERFACES + "/* && echo ${PWD##*/} $(cat address mtu flags) $(ip -o address show dev ${PWD##*/})";

    /** The lines of the log about edgeplug's lives, and about where the interface goes in each. */
    private static final String LIVES = "journalctl -q -b -o short-precise --no-pager -u edgeplug.service"
            + " | grep -E 'Started|goes into the pod|prepared in|code=killed|interface is .* again' | cut -c-150";

    private static final Path FILES = Path.of("src/test/kubelets");

    private static RealKubelet kubelet(RealKubelets kubelets, Release release)
            throws IOException, InterruptedException, TimeoutException {
        assumeThat(Box.isInstalled("pkg-config") || System.getenv(NodeInBox.MUST) != null)
                .as("runc is built: apt-get install gcc libc6-dev libseccomp-dev pkg-config")
                .isTrue();
        return new RealKubelet(kubelets.after("interfaces-" + release, release, InterfaceTest::install));
    }

    private static void install(Node node) throws IOException, InterruptedException, TimeoutException {
        String runtime = Release.print(FILES.resolve("runtime").toString());
        node.run("systemctl stop kubelet.service containerd.service"
                + " && rm -f /var/lib/kubelet/device-plugins/kubelet_internal_checkpoint");
        node.unpack("/usr/bin", "-C", runtime, "containerd", "containerd-shim-runc-v2");
        node.unpack("/usr/sbin", "-C", runtime, "runc");
        node.unpack("/", "-C", FILES.resolve("interfaces").toString(), ".");
        // Ten restarts would take half an hour. Before 1.35 the gate is off.
        node.run("cd /etc/kubernetes && sed -i 's/^featureGates: {/&KubeletCrashLoopBackOffMax: true, /' kubelet.yaml"
                + " && echo 'crashLoopBackOff: {maxContainerRestartPeriod: 1s}' >>kubelet.yaml");
        node.run("systemctl start containerd.service");
        // The driver sees a link only if the PF was up when it found the VF.
        node.run("ip link set $(ls /sys/bus/pci/devices/" + Installation.PF1 + "/net) up");
        node.rebind(NET_FUNCTION, "igbvf");
        node.rebind(PEER_FUNCTION, "igbvf");
        Installation.reload(node);
        node.run("systemctl start kubelet.service");
        new RealKubelet(node).awaitLists(LISTS);
    }

    private static StaticPod pod(String name) {
        return StaticPod.of(name, LOOK + "env | grep ^EDGEPLUG_INTERFACE_", NET).withOwnNetwork();
    }

    private static void awaitOnNode(Node node, String state) throws Exception {
        node.run("for i in $(seq 300); do [ \"$(" + ON_NODE + ")\" != '" + state + "' ] || break; sleep 0.3; done");
        assertThat(node.run(ON_NODE)).isEqualTo(state);
    }

    /** What a container prints that has the interface which looks like this on the node. */
    private static String seen(String onNode) {
        return look(onNode) + "\nEDGEPLUG_INTERFACE_0000_41_10_2=net1";
    }

    private static String look(String onNode) {
        return onNode.split(" ", 3)[1] + "\n1400\ninet 203.0.113.1/24";
    }

    private static void remove(Node node, String pod) throws Exception {
        node.run("rm /etc/kubernetes/manifests/" + pod + ".json");
    }

    /** The kubelet refuses pods for good until it knows that the device is healthy. Returns the first other. */
    private static String startNext(RealKubelet kubelet, String name) throws Exception {
        awaitActive(kubelet.node());
        for (int i = 1; true; i++) {
            String pod = name + i;
            kubelet.start(pod(pod));
            JsonObject status = kubelet.awaitStatus(pod, it -> RealKubelet.isRefused(it) || RealKubelet.isRunning(it));
            if (RealKubelet.isRunning(status)) {
                return pod;
            }
            // It refuses one in a second, and edgeplug that has just started may need many.
            assertThat(i).as("%s", status).isLessThan(60);
        }
    }

    private static void awaitActive(Node node) throws Exception {
        node.run("until systemctl -q is-active edgeplug.service; do sleep 0.5; done");
    }

    /** Has edgeplug killed once a command of the node succeeds, which the otherwise idle processor tries. */
    private static void killOnce(Node node, String condition) throws Exception {
        node.run("systemd-run -q taskset -c 1 sh -c 'until " + condition
                + "; do sleep 0.02; done; systemctl kill -s KILL edgeplug.service'");
    }

    /**
     * Waits until the interfaces in these containers' pods have a link, and returns whether they do. A reset of an
     * emulated VF succeeds once after its PF has come up. The driver sees a link if the last reset succeeded, and resets
     * the VF when it goes down. It also does so when a VF that is up loses its link.
     */
    private static boolean awaitLinks(Node node, String... containers) throws Exception {
        return node.run("""
                pids=$(ctr -n k8s.io tasks ls | awk '/%s/ { print $2 }')
                pf=$(ls /sys/bus/pci/devices/%s/net)
                inside() { for pid in $pids; do nsenter --net=/proc/$pid/ns/net ip link $1 net1 $2; done; }
                end=$(($(date +%%s) + 50))
                while [ $(date +%%s) -lt $end ]; do
                    inside set down && ip link set $pf down && ip link set $pf up
                    inside set up && inside set down && inside set up
                    for j in $(seq 30); do
                        [ $(inside show | grep -c LOWER_UP) != %d ] || { echo linked; exit; }
                        sleep 0.1
                    done
                done
                """.formatted(String.join("|", containers), Installation.PF1, containers.length))
                .contains("linked");
    }

    @ParameterizedTest
    @MethodSource("io.edgeplug.box.Release#tested")
    void eachContainerOfAPodHasItsInterfaceAndTheNextPodGetsItAsItWas(Release release, RealKubelets kubelets)
            throws Exception {
        RealKubelet kubelet = kubelet(kubelets, release);
        Node node = kubelet.node();
        String before = node.run(ON_NODE);
        kubelet.start(pod("pod").after(LOOK, NET).beside("side", LOOK));
        JsonObject running = kubelet.awaitRunning("pod");
        for (String container : List.of("first", "side")) {
            assertThat(kubelet.printed("pod", container)).as(container).isEqualTo(look(before));
        }
        assertThat(kubelet.printed("pod", "main")).isEqualTo(seen(before));

        for (int i = 0; i < 10; i++) {
            running = kubelet.killContainer("pod", running);
            assertThat(kubelet.printed("pod", "main")).isEqualTo(seen(before));
        }
        String sandbox =
                node.run("ctr -n k8s.io tasks ls -q | grep -v -e " + String.join(" -e ", RealKubelet.runs(running)));
        running = kubelet.kill(sandbox, "pod", running);
        assertThat(kubelet.printed("pod", "main")).isEqualTo(seen(before));
        assertThat(kubelet.printed("pod", "side")).isEqualTo(look(before));

        assertReached(kubelet, RealKubelet.runs(running).getFirst());

        remove(node, "pod");
        awaitOnNode(node, before);
        assertThat(kubelet.printed(startNext(kubelet, "next"), "main")).isEqualTo(seen(before));
    }

    /** Asserts that a pod reaches the one with this container, by two VFs in a VLAN. */
    private static void assertReached(RealKubelet kubelet, String container) throws Exception {
        Node node = kubelet.node();
        assertThat(node.run("ip link show dev $(ls /sys/bus/pci/devices/" + Installation.PF1 + "/net) | grep ' vf 1 '"))
                .contains("vlan 100");
        kubelet.start(StaticPod.of("other", "", PEER).withOwnNetwork());
        String other = RealKubelet.runs(kubelet.awaitRunning("other")).getFirst();
        if (!awaitLinks(node, container, other)) {
            System.err.println("NOT TRIED: whether two pods reach each other, since the emulated VFs have no link");
            return;
        }
        assertThat(node.run(
                        "ctr -n k8s.io tasks exec --exec-id ping " + other + " busybox ping -q -c 1 -w 60 203.0.113.1"))
                .contains(" 1 packets received");
    }

    /**
     * edgeplug is killed while it prepares the interface, while the pod runs, and while that ends; for the next pod,
     * before the runtime moves the interface, and while edgeplug restores it.
     */
    @Test
    void interfaceOutlivesWhatIsKilledAndEachOfItsPodsHasIt(RealKubelets kubelets) throws Exception {
        RealKubelet kubelet = kubelet(kubelets, Release.NEWEST);
        Node node = kubelet.node();
        String before = node.run(ON_NODE);
        killOnce(node, "[ $(cat " + INTERFACES + "/*/mtu) = 1400 ]");
        kubelet.start(pod("pod"));
        JsonObject running = kubelet.awaitRunning("pod");
        assertThat(kubelet.printed("pod", "main")).isEqualTo(seen(before));

        killOnce(node, "true");
        running = kubelet.killContainer("pod", running);
        assertThat(kubelet.printed("pod", "main")).isEqualTo(seen(before));

        node.run("systemctl restart kubelet.service");
        kubelet.awaitLists(LISTS);
        running = kubelet.killContainer("pod", running);
        assertThat(kubelet.printed("pod", "main")).isEqualTo(seen(before));

        killOnce(
                node,
                "[ ! -e /run/containerd/io.containerd.runtime.v2.task/k8s.io/"
                        + RealKubelet.runs(running).getFirst() + "/init.pid ]");
        remove(node, "pod");
        awaitOnNode(node, before);

        // The kubelet makes this directory once edgeplug has answered that the container may start.
        killOnce(node, "ls -d /var/log/pods/default_next*/main");
        String next = startNext(kubelet, "next");
        assertThat(kubelet.printed(next, "main")).isEqualTo(seen(before));

        awaitActive(node);
        // Its name is what edgeplug restores first.
        killOnce(node, "[ -e " + INTERFACES + "/" + before.split(" ", 2)[0] + " ]");
        remove(node, next);
        awaitOnNode(node, before);
        assertThat(kubelet.printed(startNext(kubelet, "last"), "main")).isEqualTo(seen(before));
        String lives = node.run(LIVES);
        System.out.println(lives);
        assertThat(lives.lines().filter(line -> line.contains("code=killed"))).hasSize(5);
    }

    @Test
    void podHasItsInterfaceAgainAfterItsAdapterWasPulledAndAfterTheNodeWasBooted(RealKubelets kubelets)
            throws Exception {
        RealKubelet kubelet = kubelet(kubelets, Release.NEWEST);
        Node node = kubelet.node();
        String before = node.run(ON_NODE);
        kubelet.start(pod("pod"));
        JsonObject first = kubelet.awaitRunning("pod");
        node.pull(Card.secondAdapter());
        kubelet.awaitStatus("pod", it -> RealKubelet.health(it).equals("Unhealthy"));

        node.plug(Card.secondAdapter());
        node.run("until ls /sys/bus/pci/devices/" + Installation.PF1 + "/net/*; do sleep 0.5; done");
        node.vfs(Installation.PF1, 4);
        kubelet.awaitStatus("pod", it -> RealKubelet.health(it).equals("Healthy"));
        String made = node.run(ON_NODE);
        JsonObject running = kubelet.killContainer("pod", first);
        assertThat(kubelet.printed("pod", "main")).isEqualTo(seen(made));

        node.bootAnew();
        JsonObject booted = kubelet.awaitStatus(
                "pod",
                it -> RealKubelet.isRefused(it)
                        || (RealKubelet.isRunning(it) && !RealKubelet.runs(it).equals(RealKubelet.runs(running))));
        // Before the lists of devices have come, the kubelet refuses it for good.
        String pod = RealKubelet.isRefused(booted) ? startNext(kubelet, "next") : "pod";
        String printed = kubelet.printed(pod, "main");
        String expected =
                before.replaceFirst(" \\S+ ", " " + printed.lines().findFirst().orElseThrow() + " ");
        assertThat(printed).isEqualTo(seen(expected));
        remove(node, pod);
        awaitOnNode(node, expected);
    }
}
