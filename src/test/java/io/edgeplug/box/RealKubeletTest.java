package io.edgeplug.box;

import static io.edgeplug.box.RealKubelet.FAR;
import static io.edgeplug.box.RealKubelet.NAMED;
import static io.edgeplug.box.RealKubelet.PREPARED;
import static io.edgeplug.box.RealKubelet.VF;
import static io.edgeplug.box.RealKubelet.VFIO;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pods of whole kubelets, which containerd runs. */
@NodeScenario
final class RealKubeletTest {

    /** Prints what a container has been given, and opens what it may open. */
    private static final String LOOK = """
            env | grep -E '^(CARD|PCIDEVICE.*[A-Z])=[0-9a-f:.,]*$' | sort
            ls /dev/vfio
            for node in /dev/vfio/*; do true <>$node && echo opened; done
            grep -oE '^[^ ]+ /etc/(card|named) ext4 r[ow]' /proc/mounts | sort
            """;

    private static final String FIRST_FUNCTION = "0000:41:10.0";
    private static final String NAMED_FUNCTION = "0000:41:10.4";

    @ParameterizedTest
    @MethodSource("io.edgeplug.box.Release#tested")
    void containersSeeWhatTheyWereAllocatedAndTheInitContainersDeviceIsTheNextOnes(
            Release release, RealKubelets kubelets) throws Exception {
        RealKubelet kubelet = kubelets.of(release);
        kubelet.start(StaticPod.of("pod", LOOK, VFIO + "=1", NAMED + "=1").after(LOOK, VFIO + "=1"));
        kubelet.awaitRunning("pod");

        String group = kubelet.group(FIRST_FUNCTION);
        String namedGroup = kubelet.group(NAMED_FUNCTION);
        assertThat(kubelet.printed("pod", "first")).isEqualTo("""
                CARD=0000:41:10.0
                PCIDEVICE_EXAMPLE_COM_VFIO=0000:41:10.0
                %s
                vfio
                opened
                opened
                /dev/vda /etc/card ext4 ro""".formatted(group));
        // CDI brings the nodes and the mount of the second, and the kubelet brings those of the first.
        assertThat(kubelet.printed("pod", "main")).isEqualTo("""
                CARD=0000:41:10.0
                PCIDEVICE_EXAMPLE_COM_NAMED=0000:41:10.4
                PCIDEVICE_EXAMPLE_COM_VFIO=0000:41:10.0
                %s
                %s
                vfio
                opened
                opened
                opened
                /dev/vda /etc/card ext4 ro
                /dev/vda /etc/named ext4 ro""".formatted(group, namedGroup));
    }

    @ParameterizedTest
    @MethodSource("io.edgeplug.box.Release#tested")
    void containerWhosePreparationFailsSaysSoAndStartsWhenItSucceeds(Release release, RealKubelets kubelets)
            throws Exception {
        RealKubelet kubelet = kubelets.of(release);

        kubelet.start(StaticPod.of("pod", "env", PREPARED + "=1"));

        JsonObject status = kubelet.awaitStatus("pod", it -> it.toString().contains("CreateContainerConfigError"));
        assertThat(status.toString()).contains("0000:41:10.6", "the card is cold");
        kubelet.awaitRunning("pod");
        assertThat(kubelet.printed("pod", "main")).contains("PCIDEVICE_EXAMPLE_COM_PREPARED=0000:41:10.6");
    }

    @ParameterizedTest
    @MethodSource("io.edgeplug.box.Release#tested")
    void podWhoseVirtualFunctionIsPulledTellsThatItIsUnhealthyAndRunsOn(Release release, RealKubelets kubelets)
            throws Exception {
        RealKubelet kubelet = kubelets.of(release);
        kubelet.start(StaticPod.of("pod", "env", FAR + "=1"));
        JsonObject started =
                kubelet.awaitStatus("pod", it -> RealKubelet.health(it).equals("Healthy") && RealKubelet.isRunning(it));

        kubelet.node().vfs(Installation.PF0, 0);
        JsonObject pulled =
                kubelet.awaitStatus("pod", it -> RealKubelet.health(it).equals("Unhealthy"));
        assertThat(container(pulled).get("containerID"))
                .isEqualTo(container(started).get("containerID"));
        assertThat(RealKubelet.isRunning(pulled)).isTrue();

        kubelet.node().vfs(Installation.PF0, 2);
        JsonObject back =
                kubelet.awaitStatus("pod", it -> RealKubelet.health(it).equals("Healthy"));
        assertThat(container(back).get("containerID"))
                .isEqualTo(container(started).get("containerID"));
    }

    private static JsonObject container(JsonObject status) {
        return RealKubelet.containers(status).getFirst();
    }

    @Test
    void podIsRefusedWhoseDevicesAreOfTwoNumaNodesWhereItMustHaveThemOfOne(RealKubelets kubelets) throws Exception {
        RealKubelet kubelet = kubelets.of(Release.NEWEST);
        kubelet.node()
                .run(
                        "cat >>/etc/kubernetes/kubelet.yaml <<'end'\n"
                                + "topologyManagerPolicy: single-numa-node\ncpuManagerPolicy: static\nreservedSystemCPUs: '0'\nend");
        kubelet.node().run("systemctl stop kubelet.service; rm -f /var/lib/kubelet/cpu_manager_state");
        kubelet.restart();

        kubelet.start(StaticPod.of("apart", "env", FAR + "=1", VFIO + "=1"));
        JsonObject refused = kubelet.awaitStatus("apart", it -> it.has("reason"));
        assertThat(refused.get("reason").getAsString()).isEqualTo("TopologyAffinityError");

        // The only free processor of the node is in NUMA node 1.
        kubelet.start(StaticPod.of("afar", "env", FAR + "=1", "cpu=1", "memory=32Mi"));
        refused = kubelet.awaitStatus("afar", it -> it.has("reason"));
        assertThat(refused.get("reason").getAsString()).isEqualTo("TopologyAffinityError");

        kubelet.start(StaticPod.of(
                "near", "env; grep Cpus_allowed_list /proc/self/status", VF + "=1", "cpu=1", "memory=32Mi"));
        kubelet.awaitRunning("near");
        assertThat(kubelet.printed("near", "main"))
                .contains("PCIDEVICE_EXAMPLE_COM_VF=0000:41:10.2\n", "Cpus_allowed_list:\t1");
    }
}
