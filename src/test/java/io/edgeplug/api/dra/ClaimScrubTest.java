package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.gson.JsonObject;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import io.edgeplug.system.files.Ownership;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Devices that are scrubbed after one claim and before the next claim has them. */
@Timeout(90)
final class ClaimScrubTest extends OnDraNode {

    private static final String FUNCTION = "sys/bus/pci/devices/" + VF0;
    private static final String CLASSES = DraNode.CLASSES + """
            timeout = 1
            [class.release]
            reset = "flr"
            """;

    private final CountDownLatch goesOn = new CountDownLatch(1);

    @Override
    String classes() {
        return CLASSES;
    }

    @AfterEach
    void letGo() {
        goesOn.countDown();
    }

    private Path note() {
        return directory.resolve("node/var/lib/edgeplug/used").resolve(VF0 + ".used");
    }

    private static Predicate<List<JsonObject>> taint(String value) {
        return slices -> TestSlices.devices(slices).stream()
                .filter(device -> Json.text(device, "name").equals(VF0_NAME))
                .anyMatch(device -> device.toString().contains("\"key\":\"edgeplug.io/scrubbing\"")
                        && device.toString().contains("\"value\":\"" + value + "\""));
    }

    private static boolean isFree(List<JsonObject> slices) {
        return TestSlices.names(slices).contains(VF0_NAME) && !slices.toString().contains("\"taints\"");
    }

    /** The kernel hangs in a reset until the test ends or lets it go on. */
    private void hangInReset() throws Exception {
        node.node.interfere(FUNCTION + "/reset", () -> {
            try {
                if (!goesOn.await(60, TimeUnit.SECONDS)) {
                    throw new IOException("has waited for too long");
                }
            } catch (InterruptedException e) {
                throw new IOException("interrupted", e);
            }
        });
    }

    @Test
    void deviceIsScrubbedOnceItsClaimIsReleasedAndNotBefore() throws Exception {
        node.allocate("mine", VF0_NAME);
        prepare("mine");
        prepare("mine");
        assertThat(resets()).isZero();
        assertThat(note()).content().contains("uid-of-mine", "example.com/vf");
        try (LogLines log = LogLines.open()) {
            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
            assertThat(log.await(VF0 + ": scrubbed in ")).hasSize(1);
        }

        assertThat(resets()).isEqualTo(1);
        assertThat(note()).doesNotExist();
        assertThat(node.node.sysfs().linkName(FUNCTION + "/driver")).contains("iavf");
        assertThat(node.server.await(ClaimScrubTest::isFree)).isNotEmpty();
    }

    /** Nobody can write where uses are noted, as on a full disk. */
    private void freeze(boolean isFrozen) throws Exception {
        Path notes = note().resolveSibling("");
        List<String> command = Ownership.isRoot()
                ? List.of("chattr", isFrozen ? "+i" : "-i", notes.toString())
                : List.of("chmod", isFrozen ? "500" : "700", notes.toString());
        assumeThat(new ProcessBuilder(command).inheritIO().start().waitFor())
                .as("root can keep itself from writing in a directory here, by chattr")
                .isZero();
    }

    @Test
    void deviceIsScrubbedBetweenTwoPodsOfAClaimAlsoIfItsReleaseCouldNotBeNoted() throws Exception {
        node.allocate("mine", VF0_NAME);
        prepare("mine");
        freeze(true);
        try (LogLines log = LogLines.open()) {
            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
            assertThat(log.await(VF0 + ": could not be scrubbed")).isNotEmpty();
        } finally {
            freeze(false);
        }
        prepare("mine");

        assertThat(resets()).isEqualTo(1);
    }

    /** Pods may use one claim in turn, so its UID does not say that its last pod is back. */
    @Test
    void deviceIsScrubbedBetweenTwoPodsOfAClaimThatWasReleasedMeanwhile() throws Exception {
        node.allocate("mine", VF0_NAME);
        prepare("mine");
        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
        prepare("mine");

        assertThat(resets()).isEqualTo(1);
        assertThat(note()).content().contains("uid-of-mine").doesNotContain("released");
    }

    @Test
    void useIsNotedBeforeAnythingIsDoneForItsClaim() throws Exception {
        AtomicBoolean isNoted = new AtomicBoolean();
        node.node.interfere("sys/bus/pci/drivers/vfio-pci/bind", () -> isNoted.set(Files.exists(note())));
        node.allocate("mine", VF0_NAME);

        prepare("mine");
        assertThat(isNoted).isTrue();
    }

    @Test
    void releaseIsAnsweredAtOnceAndTheNextClaimWaitsForTheScrub() throws Exception {
        node.allocate("mine", VF0_NAME);
        prepare("mine");
        hangInReset();

        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
        assertThat(node.server.await(taint("pending"))).isNotEmpty();
        node.allocate("yours", VF0_NAME);
        assertThat(error("yours"))
                .startsWith("Claim default/yours cannot be prepared: Device " + VF0
                        + " of example.com/vf is still being scrubbed after the pod that used it before")
                .contains("the next try waits for it");
        assertThat(node.specifications()).isEmpty();
        assertThat(node.claims()).isEmptyDirectory();
        try (LogLines log = LogLines.open()) {
            goesOn.countDown();
            List<String> ignored = log.await(VF0 + ": scrubbed in ");
        }

        prepare("yours");
        assertThat(resets()).isEqualTo(1);
        assertThat(note()).content().contains("uid-of-yours").doesNotContain("uid-of-mine", "released");
        assertThat(node.server.await(ClaimScrubTest::isFree)).isNotEmpty();
    }

    @Test
    void claimOfADeviceThatCouldNotBeScrubbedIsRefusedUntilItIs() throws Exception {
        node.allocate("mine", VF0_NAME);
        prepare("mine");
        AtomicBoolean isMended = new AtomicBoolean();
        node.node.interfere(FUNCTION + "/reset", () -> {
            if (!isMended.get()) {
                throw new IOException("Inappropriate ioctl for device");
            }
        });
        try (LogLines log = LogLines.open()) {
            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
            assertThat(log.await("could not be scrubbed").getFirst())
                    .startsWith(VF0)
                    .contains("Inappropriate ioctl for device", "is tried again in ");
        }
        assertThat(node.server.await(taint("failed"))).isNotEmpty();
        node.allocate("yours", VF0_NAME);
        // This holds whether or not the daemon tries once more for this claim.
        assertThat(error("yours")).contains("Inappropriate ioctl for device");
        assertThat(node.specifications()).isEmpty();
        assertThat(node.kubelet.unprepare("yours").getError()).isEmpty();

        try (LogLines log = LogLines.open()) {
            isMended.set(true);
            List<String> ignored = log.await(VF0 + ": scrubbed in ");
        }
        prepare("yours");
        assertThat(node.server.await(ClaimScrubTest::isFree)).isNotEmpty();
    }

    @Test
    void whatADaemonThatWasKilledDidNotScrubTheNextOneDoes() throws Exception {
        node.allocate("mine", VF0_NAME);
        prepare("mine");
        node.stopDaemon();
        // The daemon would leave this if it was killed right after it forgot the claim.
        Files.delete(node.claims().resolve("uid-of-mine.json"));
        assertThat(note()).exists();
        CountDownLatch begun = new CountDownLatch(1);
        node.node.interfere(FUNCTION + "/reset", () -> {
            begun.countDown();
            try {
                boolean ignored = goesOn.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                throw new IOException("interrupted", e);
            }
        });
        node.startDaemon();
        PluginInfo ignored = node.kubelet.register();

        assertThat(begun.await(DraNode.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(node.server.await(taint("pending"))).isNotEmpty();
        try (LogLines log = LogLines.open()) {
            goesOn.countDown();
            List<String> told = log.await(VF0 + ": scrubbed in ");
            assertThat(told).hasSize(1);
        }
        assertThat(note()).doesNotExist();
        assertThat(node.server.await(ClaimScrubTest::isFree)).isNotEmpty();
    }

    @Test
    void claimThatIsPreparedAgainAfterABootFindsItsDeviceAsItLeftIt() throws Exception {
        node.allocate("mine", VF0_NAME);
        prepare("mine");
        node.stopDaemon();
        node.loseWhatABootTakes();
        node.startDaemon();
        PluginInfo ignored = node.kubelet.register();
        // Another pod uses the same claim, after the first one has used it.
        JsonObject claim = TestClaims.allocated("mine", VF0_NAME);
        TestClaims.reservedFor(claim).addProperty("uid", "uid-of-another-pod");
        node.server.put(claim);

        prepare("mine");
        assertThat(resets()).isZero();
    }

    @Test
    void deviceOfAClaimThatWasPreparedBeforeItsClassSaidSoIsScrubbedToo() throws Exception {
        node.allocate("mine", VF0_NAME);
        prepare("mine");
        node.stopDaemon();
        // A daemon whose class had no [class.release] would have left no note.
        Files.delete(note());
        node.startDaemon();
        PluginInfo ignored = node.kubelet.register();
        try (LogLines log = LogLines.open()) {
            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
            assertThat(log.await(VF0 + ": scrubbed in ")).hasSize(1);
        }
        assertThat(resets()).isEqualTo(1);
    }

    @Test
    void deviceOfAClaimWhoseNoteIsDamagedIsLeftAloneUntilTheClaimIsReleased() throws Exception {
        node.allocate("mine", VF0_NAME);
        prepare("mine");
        node.stopDaemon();
        Path damaged = Files.writeString(node.claims().resolve("uid-of-mine.json"), "{");
        node.startDaemon();
        PluginInfo ignored = node.kubelet.register();
        node.allocate("yours", VF0_NAME);

        for (String name : List.of("yours", "mine")) {
            assertThat(error(name)).contains(damaged + ": is not as edgeplug writes it");
        }
        assertThat(resets()).isZero();
        assertThat(note()).exists();
        try (LogLines log = LogLines.open()) {
            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
            assertThat(log.await(VF0 + ": scrubbed in ")).hasSize(1);
        }
        assertThat(resets()).isEqualTo(1);
        prepare("yours");
    }

    @Test
    void administratorsClaimLeavesNothingToScrub() throws Exception {
        JsonObject claim = TestClaims.allocated("look", VF0_NAME);
        TestClaims.result(claim).addProperty("adminAccess", true);
        node.server.put(claim);
        assertThat(error("look")).isEmpty();

        assertThat(node.kubelet.unprepare("look").getError()).isEmpty();
        assertThat(note()).doesNotExist();
        assertThat(resets()).isZero();
    }
}
