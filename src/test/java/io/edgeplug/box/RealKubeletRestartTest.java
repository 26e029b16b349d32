package io.edgeplug.box;

import static io.edgeplug.box.RealKubelet.PREPARED;
import static io.edgeplug.box.RealKubelet.VFIO;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import org.junit.jupiter.api.Test;

/** Whole kubelets that stop and start while their pods run. src/test/kubelets has what needs no real devices. */
@NodeScenario
final class RealKubeletRestartTest {

    /**
     * A kubelet that has booted admits its static pods milliseconds after it has begun to listen. In an emulated node, lists
     * of devices may come later than that: it then refuses the pod, for good.
     */
    @Test
    void podHasItsDeviceAfterTheNodeWasBootedOrIsRefusedAndTheNextOneHasIt(RealKubelets kubelets) throws Exception {
        RealKubelet kubelet = kubelets.of(Release.NEWEST);
        String look = "echo $CARD; ls /dev/vfio";
        kubelet.start(StaticPod.of("pod", look, VFIO + "=1"));
        JsonObject before = kubelet.awaitRunning("pod");

        kubelet.node().bootAnew();

        JsonObject after = kubelet.awaitStatus(
                "pod",
                it -> RealKubelet.isRefused(it)
                        || (RealKubelet.isRunning(it) && !RealKubelet.runs(it).equals(RealKubelet.runs(before))));
        String pod = "pod";
        // The kubelet takes the device from the refused pod only a moment later, and refuses the next one until then.
        for (int next = 1; RealKubelet.isRefused(after) && next <= 3; next++) {
            assertThat(after.get("reason").getAsString()).isEqualTo("UnexpectedAdmissionError");
            System.err.println("the kubelet refused " + pod + " after the boot: " + after.get("message"));
            kubelet.awaitAllDevices();
            pod = "next" + next;
            kubelet.start(StaticPod.of(pod, look, VFIO + "=1"));
            after = kubelet.awaitStatus(pod, it -> RealKubelet.isRefused(it) || RealKubelet.isRunning(it));
        }
        String device = "0000:41:10.0";
        assertThat(kubelet.printed(pod, "main")).isEqualTo(device + "\n" + kubelet.group(device) + "\nvfio");
    }

    /** The preparation of this resource leaves a file, which shows whether it has run. */
    @Test
    void containerThatStartsBeforeEdgeplugIsRegisteredIsToldToBeUnpreparedUntilItStartsAnew(RealKubelets kubelets)
            throws Exception {
        RealKubelet kubelet = kubelets.of(Release.NEWEST);
        Node node = kubelet.node();
        StaticPod pod = StaticPod.of("pod", "env", PREPARED + "=1");
        kubelet.start(pod);
        JsonObject prepared = kubelet.awaitRunning("pod");

        node.run("rm /run/warm && systemctl stop edgeplug.service && systemctl restart kubelet.service");
        assertThat(RealKubelet.runs(kubelet.awaitRunning("pod"))).isEqualTo(RealKubelet.runs(prepared));
        JsonObject unprepared = kubelet.killContainer("pod", prepared);
        assertThat(node.run("ls /run/warm || true")).isEmpty();

        node.run("systemctl start edgeplug.service");
        kubelet.awaitStatus("pod", it -> RealKubelet.health(it).equals("Unhealthy"));
        assertThat(node.run("journalctl -q -b -o cat --no-pager -u edgeplug.service"))
                .contains("0000:41:10.6: was not prepared before container main of pod " + pod.uid()
                        + " started, because the restarted kubelet did not know edgeplug yet");
        assertThat(node.run("edgeplug status"))
                .contains("was not prepared for container main of pod " + pod.uid()
                        + ", started before edgeplug was registered");

        kubelet.killContainer("pod", unprepared);
        assertThat(node.run("ls /run/warm")).isNotEmpty();
        kubelet.awaitStatus("pod", it -> RealKubelet.health(it).equals("Healthy"));
    }
}
