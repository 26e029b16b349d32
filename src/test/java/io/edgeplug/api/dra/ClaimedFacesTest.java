package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.PATIENCE;
import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF1;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.Seen;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Devices that are claimed as one of their faces, while others want them as another. */
@Timeout(90)
final class ClaimedFacesTest {

    private static final ResourceName NET = ResourceName.parse("example.com/vf-net");
    private static final String DPDK = "example.com/vf-dpdk";
    private static final String CLASSES = """
            [[class]]
            resource = "example.com/vf-net"
            kind = "vf"
            faces = "exclusive"
            api = "OTHER"
            [class.match]
            pf_names = ["ens1f0"]
            [class.release]
            reset = "flr"
            [[class]]
            resource = "example.com/vf-dpdk"
            kind = "vf"
            faces = "exclusive"
            api = "dra"
            [class.match]
            pf_names = ["ens1f0"]
            [class.prepare]
            driver = "vfio-pci"
            [class.release]
            reset = "flr"
            """;

    @TempDir
    private Path directory = Path.of("");

    private DraNode open(String apiOfOther) throws Exception {
        DraNode node = DraNode.open(directory, CLASSES.replace("OTHER", apiOfOther));
        PluginInfo ignored = node.kubelet.register();
        return node;
    }

    private static String name(String id, String resource) {
        return DeviceNames.of(id + " " + resource);
    }

    private static Predicate<List<JsonObject>> taint(String device, String key) {
        return slices -> TestSlices.devices(slices).stream()
                .filter(one -> Json.text(one, "name").equals(device))
                .anyMatch(one -> one.toString().contains("edgeplug.io/" + key));
    }

    @Test
    void deviceIsClaimedAsOneFaceAndRightAfterItsReleaseAsAnother() throws Exception {
        try (DraNode node = open("dra")) {
            assertThat(node.server.await(
                            slices -> TestSlices.counterSets(slices).size() == 2 && CounterRules.isWhole(slices)))
                    .isNotEmpty();
            node.allocate("mine", name(VF0, NET.toString()));
            node.allocate("yours", name(VF0, DPDK));
            assertThat(node.kubelet.prepare("mine").getError()).isEmpty();
            assertThat(node.specification("mine")).contains("EXAMPLE_COM_VF_NET=" + VF0);

            assertThat(node.kubelet.prepare("yours").getError())
                    .startsWith("Claim default/yours cannot be prepared: its device " + VF0 + " is held as " + NET)
                    .endsWith(" (claim mine)");
            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
            assertThat(node.kubelet.prepare("yours").getError()).isEmpty();
            assertThat(node.node.acts()).containsSubsequence(VF0 + " reset by flr", VF0 + " bound to vfio-pci");
        }
    }

    /** The device is still bound to vfio-pci when the second claim comes, but not when its container starts. */
    @Test
    void claimRightAfterADriverOfAnotherFaceGetsTheDeviceAsItIsAfterTheScrub() throws Exception {
        try (DraNode node = open("dra")) {
            node.allocate("mine", name(VF0, DPDK));
            assertThat(node.kubelet.prepare("mine").getError()).isEmpty();
            assertThat(node.specification("mine")).contains("/dev/vfio/");
            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
            node.allocate("yours", name(VF0, NET.toString()));

            assertThat(node.kubelet.prepare("yours").getError()).isEmpty();
            assertIsNetworkDevice(node.specification("yours"));
        }
    }

    @Test
    void claimDuringTheScrubOfADriverOfAnotherFaceGetsTheDeviceAsItIsAfterwards() throws Exception {
        try (DraNode node = open("dra")) {
            node.allocate("mine", name(VF0, DPDK));
            assertThat(node.kubelet.prepare("mine").getError()).isEmpty();

            assertThat(prepareDuringTheScrub(node, name(VF0, NET.toString()))).isEmpty();
            assertIsNetworkDevice(node.specification("yours"));
        }
    }

    private static void assertIsNetworkDevice(String specification) {
        assertThat(specification).contains("EXAMPLE_COM_VF_NET=" + VF0).doesNotContain("/dev/vfio");
    }

    @Test
    void claimOfADeviceThatIsScrubbedAsAnotherFaceWaitsForTheScrub() throws Exception {
        try (DraNode node = open("dra")) {
            node.allocate("mine", name(VF0, NET.toString()));
            assertThat(node.kubelet.prepare("mine").getError()).isEmpty();

            assertThat(prepareDuringTheScrub(node, name(VF0, DPDK))).isEmpty();
            assertThat(node.node.acts()).containsSubsequence(VF0 + " reset by flr", VF0 + " bound to vfio-pci");
        }
    }

    /** The daemon may already know the claim as the holder of all of its devices while it waits for the first. */
    @Test
    void claimOfADeviceThatCouldNotBeScrubbedAsAnotherFaceIsRefusedWhateverItWaitsFor() throws Exception {
        try (DraNode node = open("dra")) {
            node.allocate("mine", name(VF0, NET.toString()));
            node.allocate("ours", name(VF1, DPDK));
            assertThat(node.kubelet.prepare("mine").getError()).isEmpty();
            assertThat(node.kubelet.prepare("ours").getError()).isEmpty();
            node.node.interfere("sys/bus/pci/devices/" + VF1 + "/reset", () -> {
                throw new IOException("Inappropriate ioctl for device");
            });
            assertThat(node.kubelet.unprepare("ours").getError()).isEmpty();
            assertThat(node.server.await(taint(name(VF1, NET.toString()), "scrubbing")))
                    .isNotEmpty();

            assertThat(prepareDuringTheScrub(node, name(VF0, DPDK), name(VF1, NET.toString())))
                    .contains("Device " + VF1, "could not be scrubbed");
            assertThat(node.claims()).isEmptyDirectory();
        }
    }

    /** Releases the claim mine, and prepares the claim yours while the device is scrubbed; returns the error. */
    private static String prepareDuringTheScrub(DraNode node, String... devices) throws Exception {
        CountDownLatch goesOn = new CountDownLatch(1);
        AtomicInteger scrubs = new AtomicInteger();
        try {
            node.node.interfere("sys/bus/pci/devices/" + VF0 + "/reset", () -> {
                scrubs.incrementAndGet();
                Seen.awaitGoingOn(goesOn);
            });
            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
            Seen.untilSo("a scrub", () -> scrubs.get() == 1);
            // The scheduler has chosen this face before it saw the taint.
            node.allocate("yours", devices);
            CompletableFuture<String> error = CompletableFuture.supplyAsync(
                    () -> node.kubelet.prepare("yours").getError());
            Path note = node.claims().resolve("uid-of-yours.json");
            Seen.untilSo("a note of the claim", () -> Files.exists(note) || error.isDone());
            assertThat(error).isNotDone();
            goesOn.countDown();

            assertThat(error).succeedsWithin(PATIENCE);
            assertThat(scrubs).hasValue(1);
            return error.join();
        } finally {
            goesOn.countDown();
        }
    }

    @Test
    void nameOfNoFaceIsUnknown() throws Exception {
        try (DraNode node = open("dra")) {
            node.allocate("mine", DraNode.VF0_NAME);

            assertThat(node.kubelet.prepare("mine").getError()).contains("there is no device " + DraNode.VF0_NAME);
        }
    }

    @Test
    void faceOfTheDevicePluginAndOneThatIsClaimedExcludeEachOther() throws Exception {
        try (DraNode node = open("device-plugin");
                LocalKubelet kubelet = LocalKubelet.open(
                        directory.resolve("device-plugins"),
                        KubeletOptions.DEFAULTS.withRoot(directory),
                        event -> {})) {
            kubelet.await(NET, state -> state.registered() && state.allocatable() == 2, PATIENCE);
            node.allocate("mine", name(VF0, DPDK));
            assertThat(node.kubelet.prepare("mine").getError()).isEmpty();
            kubelet.await(NET, state -> state.allocatable() == 1, PATIENCE);

            kubelet.admit(PodSpec.of("pod", NET, 1));
            kubelet.startContainer("pod", "main");
            String other = name("0000:3b:01.1", DPDK);
            assertThat(node.server.await(taint(other, "held"))).isNotEmpty();
            node.allocate("yours", other);
            assertThat(node.kubelet.prepare("yours").getError()).contains("is held as " + NET + " by ");
            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
            kubelet.await(NET, state -> state.allocatable() == 2, PATIENCE);
        }
    }
}
