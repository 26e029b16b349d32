package io.edgeplug.box;

import static io.edgeplug.box.RealCluster.PLUGGED;
import static io.edgeplug.box.RealCluster.VF;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** VFs that a kernel makes, on a node of a whole cluster: nothing is a stand-in but the adapters, which are QEMU's. */
@Tag("cluster")
@Timeout(value = 45, unit = TimeUnit.MINUTES)
@ExtendWith(NodeInBox.class)
final class RealClusterTest {

    private static final String VARIABLE = "PCIDEVICE_EXAMPLE_COM_VF=";

    /** The first VF that {@link #NEAR} allows. vfio-pci has it from boot on. */
    private static final String NEAR_VF = "0000:41:10.0";

    private static final String NEAR = "device.attributes[\"resource.kubernetes.io\"].numaNode == 1"
            + " && device.attributes[\"edgeplug.io\"].driver == \"vfio-pci\"";
    private static final String FAR = "device.attributes[\"resource.kubernetes.io\"].numaNode == 0";

    @Test
    void deploymentRunsByTheDevicePluginAndAfterOneLineMoreByClaims(RealKubelets kubelets) throws Exception {
        try (RealCluster cluster = RealCluster.join(kubelets, "cluster-move")) {
            JsonObject ignored = cluster.api().create(ClusterApi.DEPLOYMENTS, ClusterPod.deployment("vfs", VF));
            JsonObject first = cluster.awaitRunning("vfs", pod -> true);
            String vf = onlyVf(cluster, first);
            assertThat(cluster.api().read(ClusterApi.CLAIMS).getAsJsonArray("items"))
                    .isEmpty();

            cluster.claimVfs();
            cluster.awaitDevice("is held", name(vf), device -> RealCluster.isTainted(device, "held", "NoSchedule"));
            JsonObject still = cluster.api().read(ClusterApi.PODS + "/" + ClusterPod.name(first));
            assertThat(RealCluster.isRunning(still)).isTrue();
            assertThat(container(still)).isEqualTo(container(first));

            cluster.api().delete(ClusterApi.PODS + "/" + ClusterPod.name(first));
            JsonObject second =
                    cluster.awaitRunning("vfs", pod -> !ClusterPod.name(pod).equals(ClusterPod.name(first)));
            String claim = second.getAsJsonObject("status")
                    .getAsJsonObject("extendedResourceClaimStatus")
                    .get("resourceClaimName")
                    .getAsString();
            assertThat(cluster.allocated(claim)).containsExactly(name(onlyVf(cluster, second)));

            cluster.awaitDevice("is offered again", name(vf), RealCluster::isOffered);
            assertThat(cluster.node().run("journalctl -q -b -o cat --no-pager -u edgeplug.service"))
                    .contains(vf + ": released by default/" + ClusterPod.name(first), vf + ": scrubbed in ");
        }
    }

    @Test
    void claimsHaveTheVirtualFunctionsOfTheirNumaNodesAndAReleasedOneIsScrubbedAndOfferedAgain(RealKubelets kubelets)
            throws Exception {
        try (RealCluster cluster = RealCluster.join(kubelets, "cluster-choose")) {
            cluster.node().rebind(NEAR_VF, "vfio-pci");
            cluster.claimVfs();
            JsonObject near = claiming(cluster, "near", VF, NEAR);
            JsonObject far = claiming(cluster, "far", VF, FAR);
            assertThat(onlyVf(cluster, near)).isEqualTo(NEAR_VF);
            assertThat(onlyVf(cluster, far)).startsWith("0000:21:10.");

            cluster.api().delete(ClusterApi.PODS + "/near");
            cluster.api().delete(ClusterApi.CLAIMS + "/near");
            boolean gone = cluster.api().await("the claim is gone", ClusterApi.CLAIMS, RealClusterTest::lackNear);
            assertThat(gone).isTrue();
            cluster.awaitDevice("is offered again", name(NEAR_VF), RealCluster::isOffered);
            // PrepareTest shows that such a scrub resets the adapter's function.
            assertThat(cluster.node().run("journalctl -q -b -o cat --no-pager -u edgeplug.service"))
                    .contains(NEAR_VF + ": scrubbed in ");
            JsonObject next = claiming(cluster, "next", VF, NEAR);
            assertThat(onlyVf(cluster, next)).isEqualTo(NEAR_VF);
        }
    }

    private static Optional<Boolean> lackNear(List<JsonObject> claims) {
        return claims.stream().anyMatch(claim -> ClusterPod.name(claim).equals("near"))
                ? Optional.empty()
                : Optional.of(true);
    }

    @Test
    void podWhoseAdapterIsPulledIsEvicted(RealKubelets kubelets) throws Exception {
        try (RealCluster cluster = RealCluster.join(kubelets, "cluster-pull")) {
            Node node = cluster.node();
            node.plug(Card.igb());
            node.run("until [ -e /sys/bus/pci/devices/" + Card.igb().address() + "/net ]; do sleep 0.2; done");
            node.vfs(Card.igb().address(), 2);
            JsonObject pod = claiming(cluster, "pulled", PLUGGED, "true");
            String device = cluster.allocated("pulled").getFirst();
            node.run("systemd-run -q --unit=events stdbuf -oL udevadm monitor --kernel --subsystem-match=pci"
                    + " && until journalctl -q -u events.service | grep -q 'the kernel uevent'; do sleep 0.2; done");

            try (ExecutorService both = Executors.newVirtualThreadPerTaskExecutor()) {
                Future<Instant> tainted = both.submit(() -> {
                    cluster.awaitDevice(
                            "is unhealthy", device, it -> RealCluster.isTainted(it, "unhealthy", "NoExecute"));
                    return Instant.now();
                });
                Future<Instant> gone = both.submit(() -> cluster.api()
                        .await(
                                "the pod is gone",
                                ClusterApi.PODS,
                                pods -> pods.isEmpty() ? Optional.of(Instant.now()) : Optional.empty()));
                node.pull(Card.igb());
                Instant removed = removed(node, device);
                System.out.printf(
                        "%s of %s: its taint after %d ms, its pod gone after %d ms%n",
                        device,
                        ClusterPod.name(pod),
                        Duration.between(removed, tainted.get()).toMillis(),
                        Duration.between(removed, gone.get()).toMillis());
            }
            cluster.awaitDevice("has left the slices", device, it -> !it.has("name"));
        }
    }

    /** When the kernel has reported that a device is gone. The node's clock is this machine's. */
    private static Instant removed(Node node, String device) throws Exception {
        String address = device.replaceFirst("^(....)-(..)-(..)-(.)$", "$1:$2:$3.$4");
        String seconds = node.run(
                "journalctl -q -o short-unix -u events.service | grep -m1 'remove.*" + address + " ' | cut -d' ' -f1");
        return Instant.ofEpochMilli((long) (Double.parseDouble(seconds) * 1000));
    }

    @Test
    void podWithAClaimHasItsVirtualFunctionAgainAfterTheNodeWasBooted(RealKubelets kubelets) throws Exception {
        try (RealCluster cluster = RealCluster.join(kubelets, "cluster-reboot")) {
            cluster.claimVfs();
            JsonObject before = claiming(cluster, "kept", VF, NEAR);
            assertThat(onlyVf(cluster, before)).isEqualTo(NEAR_VF);

            cluster.reboot();

            JsonObject after =
                    cluster.awaitRunning("kept", pod -> !container(pod).equals(container(before)));
            assertThat(cluster.allocated("kept")).containsExactly(name(NEAR_VF));
            assertThat(onlyVf(cluster, after)).isEqualTo(NEAR_VF);
        }
    }

    /** The running pod of a new claim, which has the claim's name. */
    private static JsonObject claiming(RealCluster cluster, String name, String resource, String condition)
            throws Exception {
        JsonObject claim = cluster.api().create(ClusterApi.CLAIMS, ClusterPod.claim(name, resource, condition));
        JsonObject pod = cluster.api().create(ClusterApi.PODS, ClusterPod.claiming(name, ClusterPod.name(claim)));
        return cluster.awaitRunning(ClusterPod.name(pod), running -> true);
    }

    /** The VF that a pod's container has: its variable names it, and it has the nodes of VFIO for it and no others. */
    private static String onlyVf(RealCluster cluster, JsonObject pod) throws Exception {
        List<String> printed = cluster.printed(pod);
        String vf = printed.stream()
                .filter(line -> line.startsWith(VARIABLE))
                .findFirst()
                .orElseThrow(() -> new AssertionError(printed.toString()))
                .substring(VARIABLE.length());
        String group = new RealKubelet(cluster.node()).group(vf);
        assertThat(printed.stream().filter(line -> line.startsWith("/dev/")))
                .containsExactly("/dev/vfio/" + group, "/dev/vfio/vfio");
        assertThat(cluster.node().run("basename $(readlink /sys/bus/pci/devices/" + vf + "/driver)"))
                .isEqualTo("vfio-pci");
        return vf;
    }

    /** How slices call a PCI function. */
    private static String name(String function) {
        return function.replaceAll("[:.]", "-");
    }

    private static String container(JsonObject pod) {
        return RealKubelet.containers(pod.getAsJsonObject("status"))
                .getFirst()
                .get("containerID")
                .getAsString();
    }
}
