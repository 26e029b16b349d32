package io.edgeplug.box;

import static io.edgeplug.box.RealKubelet.FAR;
import static io.edgeplug.box.RealKubelet.NAMED;
import static io.edgeplug.box.RealKubelet.PREPARED;
import static io.edgeplug.box.RealKubelet.VF;
import static io.edgeplug.box.RealKubelet.VFIO;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Whole kubelets that stop and start while their pods run. */
@NodeScenario
final class RealKubeletRestartTest {

    /** Each takes seconds. */
    private static final int RESTARTS = System.getProperty("soak") == null ? 5 : 20;

    @Test
    void podRunsOnOverRestartsAndEachResourceIsRegisteredOnceAfterEach(RealKubelets kubelets) throws Exception {
        RealKubelet kubelet = kubelets.of(Release.NEWEST);
        kubelet.start(StaticPod.of("pod", "env", VFIO + "=1", NAMED + "=1"));
        JsonObject before = kubelet.awaitRunning("pod");

        for (int restart = 1; restart <= RESTARTS; restart++) {
            kubelet.restart();
            assertThat(kubelet.registrations()).as("after restart " + restart).isEqualTo(RealKubelet.ONCE_EACH);
        }

        assertThat(run(kubelet.awaitRunning("pod"))).isEqualTo(run(before));
        kubelet.start(StaticPod.of("next", "env", FAR + "=1"));
        kubelet.awaitRunning("next");
    }

    @Test
    void podsRunOnWhileTheKubeletIsUpgradedAndTakenBack(RealKubelets kubelets) throws Exception {
        RealKubelet kubelet = kubelets.of(Release.OLDEST);
        kubelet.start(StaticPod.of("first", "env", VFIO + "=1"));
        JsonObject first = kubelet.awaitRunning("first");

        kubelet.become(Release.NEWEST);
        assertThat(run(kubelet.awaitRunning("first"))).isEqualTo(run(first));
        kubelet.start(StaticPod.of("second", "env", FAR + "=1"));
        JsonObject second = kubelet.awaitRunning("second");

        kubelet.become(Release.OLDEST);
        assertThat(run(kubelet.awaitRunning("first"))).isEqualTo(run(first));
        assertThat(run(kubelet.awaitRunning("second"))).isEqualTo(run(second));
        kubelet.start(StaticPod.of("third", "env", VF + "=2"));
        kubelet.awaitRunning("third");
    }

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
                "pod", it -> RealKubelet.isRefused(it) || (RealKubelet.isRunning(it) && !run(it).equals(run(before))));
        String pod = "pod";
        if (RealKubelet.isRefused(after)) {
            assertThat(after.get("reason").getAsString()).isEqualTo("UnexpectedAdmissionError");
            System.err.println("the kubelet refused the pod after the boot: " + after.get("message"));
            kubelet.awaitAllDevices();
            pod = "next";
            kubelet.start(StaticPod.of(pod, look, VFIO + "=1"));
            kubelet.awaitRunning(pod);
        }
        String device = "0000:41:10.0";
        assertThat(kubelet.printed(pod, "main")).isEqualTo(device + "\n" + kubelet.group(device) + "\nvfio");
    }

    @Test
    void resourcesAreFoundInThePluginsRegistryAlsoAfterARestart(RealKubelets kubelets) throws Exception {
        RealKubelet kubelet = kubelets.of(Release.NEWEST);
        kubelet.node()
                .run(
                        "systemctl stop kubelet.service;"
                                + " sed -i '1i registration = \"plugins_registry\"' /etc/edgeplug/edgeplug.toml; systemctl reload edgeplug.service");
        kubelet.restart();
        assertThat(kubelet.node().run("ls /var/lib/kubelet/plugins_registry | wc -l"))
                .isEqualTo(String.valueOf(RealKubelet.RESOURCES.size()));
        assertThat(kubelet.node().run("ls /var/lib/kubelet/device-plugins | grep -c ^edgeplug || true"))
                .isEqualTo("0");
        kubelet.start(StaticPod.of("pod", "env", VFIO + "=1"));
        JsonObject before = kubelet.awaitRunning("pod");

        kubelet.restart();

        assertThat(run(kubelet.awaitRunning("pod"))).isEqualTo(run(before));
        kubelet.start(StaticPod.of("next", "env", FAR + "=1"));
        kubelet.awaitRunning("next");
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
        assertThat(run(kubelet.awaitRunning("pod"))).isEqualTo(run(prepared));
        JsonObject unprepared = killContainer(kubelet, prepared);
        assertThat(node.run("ls /run/warm || true")).isEmpty();

        node.run("systemctl start edgeplug.service");
        kubelet.awaitStatus("pod", it -> RealKubelet.health(it).equals("Unhealthy"));
        assertThat(node.run("journalctl -q -b -o cat --no-pager -u edgeplug.service"))
                .contains("0000:41:10.6: was not prepared before container main of pod " + pod.uid()
                        + " started, because the restarted kubelet did not know edgeplug yet");
        assertThat(node.run("edgeplug status"))
                .contains("was not prepared for container main of pod " + pod.uid()
                        + ", started before edgeplug was registered");

        killContainer(kubelet, unprepared);
        assertThat(node.run("ls /run/warm")).isNotEmpty();
        kubelet.awaitStatus("pod", it -> RealKubelet.health(it).equals("Healthy"));
    }

    /** Ends a pod's only container, and returns the status once the next one runs in its place. */
    private static JsonObject killContainer(RealKubelet kubelet, JsonObject before) throws Exception {
        String id = run(before).getFirst();
        kubelet.node().run("ctr -n k8s.io tasks kill -s KILL " + id.substring(id.indexOf("//") + 2));
        return kubelet.awaitStatus("pod", it -> RealKubelet.isRunning(it) && !run(it).equals(run(before)));
    }

    /** The runs of its containers that a pod's status shows. */
    private static List<String> run(JsonObject status) {
        return RealKubelet.containers(status).stream()
                .map(container -> container.get("containerID").getAsString())
                .toList();
    }
}
