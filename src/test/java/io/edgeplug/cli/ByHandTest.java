package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.model.rules.DeviceClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code prepare} does to a device, prints, and refuses. */
@Timeout(60)
final class ByHandTest extends ByHandOnDemoNode {

    private static final ByHand.Errand PREPARE = new ByHand.Errand(false, Optional.empty());

    @BeforeEach
    void addWhatIsWrittenTo() throws IOException {
        Files.createFile(node.root().resolve("sys/bus/pci/devices/" + VF + "/uevent"));
        Files.createDirectories(node.root().resolve("dev"));
        Files.createFile(node.root().resolve("dev/null"));
    }

    @Test
    void eachStepIsPrintedWithItsTimeAndTheDaemonIsToldToLookAgain() throws Exception {
        byHand.perform(
                classes(
                        "[class.prepare]\nreset = \"flr\"\ndriver = \"vfio-pci\"\ncommand = [\"/bin/echo\", \"wiped {id}\"]"),
                VF,
                PREPARE,
                false);

        assertThat(lines()).isEqualTo("""
                0000:3b:01.0 of example.com/vf
                  reset      flr, without iavf, and bound to vfio-pci: N ms
                  driver     vfio-pci, is bound already: N ms
                             wiped 0000:3b:01.0
                  command    /bin/echo wiped 0000:3b:01.0: N ms
                0000:3b:01.0: prepared in N ms
                """);
        assertThat(node.acts()).endsWith(VF + " bound to vfio-pci", VF + " announced: change");
    }

    @Test
    void deviceThatAPodMayHoldIsRefusedUnlessForced() throws Exception {
        checkpoint(HELD);
        List<DeviceClass> classes = classes("prepare = { reset = \"flr\" }");

        assertThatIOException()
                .isThrownBy(() -> byHand.perform(classes, VF, PREPARE, false))
                .withMessage(VF + ": it may be held by container main of pod 1f3a, as 0000:3b:01.0 of example.com/vf; "
                        + "use --force to do it anyway");
        assertThat(node.acts()).doesNotContain(VF + " reset by flr");

        byHand.perform(classes, VF, PREPARE, true);
        assertThat(node.acts()).contains(VF + " reset by flr");
    }

    @Test
    void deviceIsRefusedIfNothingTellsWhoHoldsIt() throws Exception {
        List<DeviceClass> classes = classes("prepare = { reset = \"flr\" }");
        checkpoint("{}");
        assertThatIOException()
                .isThrownBy(() -> byHand.perform(classes, VF, PREPARE, false))
                .withMessage(VF + ": it may be held by a pod, because it is not known what pods hold: " + directory
                        + "/kubelet_internal_checkpoint: is not as a kubelet writes it; use --force to do it anyway");
        Files.delete(directory.resolve("kubelet_internal_checkpoint"));
        assertThatIOException()
                .isThrownBy(() -> byHand.perform(classes, VF, PREPARE, false))
                .withMessageContaining("kubelet_internal_checkpoint: no such file; use --force");
        assertThat(node.acts()).doesNotContain(VF + " reset by flr");
    }

    @Test
    void stepThatFailsIsToldAndTheDaemonLooksAgain() throws Exception {
        node.interfere("sys/bus/pci/devices/" + VF + "/reset", () -> {
            throw new IOException("Input/output error");
        });

        assertThatIOException()
                .isThrownBy(() -> byHand.perform(classes("prepare = { reset = \"flr\" }"), VF, PREPARE, false))
                .withMessage(VF + ": reset: write reset: Input/output error");
        assertThat(node.acts())
                .containsExactly(VF + " unbound from iavf", VF + " bound to iavf", VF + " announced: change");
    }

    /** As to who is not root. */
    @Test
    void whyNothingCouldBeDoneIsToldAndNotThatTheDaemonCouldNotBe() throws Exception {
        node.interfere("sys/bus/pci/devices/" + VF + "/uevent", () -> {
            throw new IOException("Permission denied");
        });
        Path locks = Files.createFile(
                Files.createDirectories(node.root().resolve("run/edgeplug")).resolve("lock"));

        assertThatIOException()
                .isThrownBy(() -> byHand.perform(classes("prepare = { reset = \"flr\" }"), VF, PREPARE, false))
                .withMessageStartingWith(VF + ": it cannot be locked against other processes: ")
                .havingCause()
                // nothing was begun, so the daemon is told nothing
                .satisfies(cause -> assertThat(cause).hasNoSuppressedExceptions());
        Files.delete(locks);
        node.interfere("sys/bus/pci/devices/" + VF + "/reset", () -> {
            throw new IOException("Input/output error");
        });
        assertThatIOException()
                .isThrownBy(() -> byHand.perform(classes("prepare = { reset = \"flr\" }"), VF, PREPARE, false))
                .withMessage(VF + ": reset: write reset: Input/output error");
    }

    @Test
    void dryRunTellsWhatWouldBeDoneAndWhatSpeaksAgainstIt() throws Exception {
        assertThat(byHand.plan(classes("[class.prepare]\nreset = \"flr\"\ndriver = \"vfio-pci\""), VF, PREPARE))
                .isTrue();
        assertThat(lines()).isEqualTo("""
                0000:3b:01.0 of example.com/vf
                  reset      flr, without iavf
                  driver     vfio-pci, instead of iavf
                """);
        printed.clear();
        checkpoint(HELD);

        assertThat(byHand.plan(classes("""
                                [class.prepare]
                                reset = "bus"
                                driver = "igb_uio"
                                command = ["/none/wipe", "{id}"]
                                [class.prepare.vf]
                                mac = "random"
                                """), VF, PREPARE)).isFalse();
        assertThat(lines()).isEqualTo("""
                0000:3b:01.0 of example.com/vf
                  vf         mac random
                             would fail: /sbin/ip: no such program
                  reset      bus
                             would fail: the kernel offers no bus for it, only: flr
                  driver     igb_uio
                             would fail: the driver igb_uio is not loaded
                  command    /none/wipe 0000:3b:01.0
                             would fail: /none/wipe: no such program
                needs --force: it may be held by container main of pod 1f3a, as 0000:3b:01.0 of example.com/vf
                """);
        assertThat(node.acts()).isEmpty();
    }

    @Test
    void deviceWithoutARecipeIsLeftAlone() throws Exception {
        byHand.perform(classes(""), VF, PREPARE, false);

        assertThat(lines()).isEqualTo(VF + " of example.com/vf: nothing to do, its class has no [class.prepare]\n");
        assertThat(node.acts()).isEmpty();
    }

    @Test
    void deviceOfNoClassIsTold() {
        assertThatIOException()
                .isThrownBy(
                        () -> byHand.perform(classes("prepare = { reset = \"flr\" }"), "0000:af:01.0", PREPARE, true))
                .withMessage("0000:af:01.0: no class takes it, see edgeplug explain 0000:af:01.0");
        assertThatIOException()
                .isThrownBy(() -> byHand.plan(List.of(), "0000:00:00.0", PREPARE))
                .withMessage("0000:00:00.0: no such device here, and no resource with one");
    }

    @Test
    void commandPreparesADeviceOfTheNodeThatItIsGiven() throws Exception {
        classes("prepare = { command = [\"/bin/echo\", \"wiped\"] }");
        String config = directory.resolve("edgeplug.toml").toString();
        String root = node.root().toString();
        String kubeletDir = directory.toString();

        assertThat(printed.execute("prepare", VF, "--config", config, "--sysroot", root, "--kubelet-dir", kubeletDir))
                .isZero();
        assertThat(lines()).contains("             wiped\n  command    /bin/echo wiped: N ms\n");
        checkpoint(HELD);
        assertThat(printed.execute("prepare", VF, "--config", config, "--sysroot", root, "--kubelet-dir", kubeletDir))
                .isEqualTo(1);
        assertThat(lines()).contains("edgeplug: " + VF + ": it may be held by container main of pod 1f3a, as ");
        assertThat(printed.execute(
                        "prepare", "--force", VF, "--config", config, "--sysroot", root, "--kubelet-dir", kubeletDir))
                .isZero();
    }

    @Test
    void filesThatShowAnotherNodeAreOnlyLookedAt() throws Exception {
        classes("prepare = { reset = \"flr\" }");
        String config = directory.resolve("edgeplug.toml").toString();
        String tree =
                Files.writeString(directory.resolve("tree"), DemoNode.tree()).toString();
        String kubeletDir = directory.toString();

        assertThat(printed.execute("prepare", VF, "--config", config, "--sysroot", tree, "--kubelet-dir", kubeletDir))
                .isEqualTo(1);
        assertThat(lines())
                .isEqualTo(
                        "edgeplug: " + tree + ": is no node, so nothing can be done to its devices; see --dry-run\n");
        assertThat(printed.execute(
                        "prepare", "--dry-run", VF, "--config", config, "--sysroot", tree, "--kubelet-dir", kubeletDir))
                .isZero();
    }

    /** What this node's pods hold and which programs it has says nothing of another. */
    @Test
    void nothingOfThisNodeIsAskedAboutAnother() throws Exception {
        checkpoint(HELD);
        String config = Files.writeString(directory.resolve("other.toml"), """
                        kubelet_dir = "%s"
                        [[class]]
                        resource = "example.com/vf"
                        kind = "vf"
                        match = { pf_names = ["ens1f0"] }
                        [class.prepare]
                        command = ["/none/wipe", "{id}"]
                        [class.prepare.vf]
                        mac = "random"
                        """.formatted(directory))
                .toString();
        String tree =
                Files.writeString(directory.resolve("tree"), DemoNode.tree()).toString();
        String root = node.root().toString();

        assertThat(printed.execute("prepare", "--dry-run", "3b:01.0", "--config", config, "--sysroot", tree))
                .isZero();
        assertThat(lines()).isEqualTo("""
                0000:3b:01.0 of example.com/vf
                  vf         ip link set dev ens1f0 vf 0 mac random
                  command    /none/wipe 0000:3b:01.0
                """);
        printed.clear();
        assertThat(printed.execute("prepare", "--dry-run", "3b:01.0", "--config", config, "--sysroot", root))
                .isEqualTo(1);
        assertThat(lines())
                .contains("would fail: /sbin/ip: no such program\n")
                .endsWith("needs --force: it may be held by a pod, because it is not known what pods hold: " + root
                        + directory
                        + "/kubelet_internal_checkpoint: no such file\n");
    }
}
