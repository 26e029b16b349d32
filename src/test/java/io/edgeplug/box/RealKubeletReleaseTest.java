package io.edgeplug.box;

import static io.edgeplug.box.RealKubelet.FAR;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The holder of a device, as whole kubelets report it in each of their ways. */
@NodeScenario
final class RealKubeletReleaseTest {

    private static final String DEVICE = "0000:21:10.2";
    private static final String LOG = "journalctl -q -b -o cat --no-pager -u edgeplug.service | grep -F ";

    /** The lines of both logs about the pod's end, with seconds. */
    private static final String TIMES =
            "journalctl -q -b -o short-unix --no-pager -u kubelet.service -u edgeplug.service"
                    + " | grep -E 'SyncLoop REMOVE|Killing container|Pod removed broadcasted|released by|returned to its host driver' | cut -c-160";

    @ParameterizedTest
    @MethodSource("io.edgeplug.box.Release#tested")
    void podIsNamedAndItsEndIsNoticed(Release release, RealKubelets kubelets) throws Exception {
        RealKubelet kubelet = kubelets.of(release);
        Node node = kubelet.node();
        node.run("sed -i '/" + DEVICE + "/a prepare = { driver = \"vfio-pci\" }' /etc/edgeplug/edgeplug.toml");
        Installation.reload(node);
        kubelet.restart();
        kubelet.start(StaticPod.of("pod", "env", FAR + "=1"));
        kubelet.awaitRunning("pod");

        awaitLog(node, DEVICE + ": held by default/pod-node (main)");
        assertThat(node.run("edgeplug list -n -o DEVICE,POD,NAMESPACE,CONTAINER " + FAR)
                        .split(" +"))
                .containsExactly(DEVICE, "pod-node", "default", "main");
        assertThat(node.run("edgeplug explain " + DEVICE))
                .containsPattern("held by default/pod-node \\(main\\) since \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d");

        node.run("rm /etc/kubernetes/manifests/pod.json");

        awaitLog(node, DEVICE + ": released by default/pod-node (main)");
        awaitLog(node, DEVICE + ": returned to its host driver igbvf");
        System.out.println(release + ":\n" + node.run(TIMES));
    }

    private static void awaitLog(Node node, String line) throws Exception {
        String ignored = node.run("for i in $(seq 600); do " + LOG + "'" + line + "' && exit; sleep 1; done; exit 1");
    }
}
