package io.edgeplug.node.vfs;

import static io.edgeplug.node.vfs.SriovNode.FUNCTIONS;
import static io.edgeplug.node.vfs.SriovNode.PATIENT;
import static io.edgeplug.node.vfs.SriovNode.PF0;
import static io.edgeplug.node.vfs.SriovNode.assertFailure;
import static io.edgeplug.node.vfs.SriovNode.assertGood;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.system.files.NeedsRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** VFs are made on a simulated kernel, which refuses, delays and is slow as real ones are. */
final class VfsApplyTest extends OnSriovNode {

    @Test
    void vfsAreMadeAndToldTheirSettingsBeforeAnyDriverIsBound() throws Exception {
        List<WantedVfs> wanted = node.wanted("count = 2", "driver = \"vfio-pci\"", "mac = \"fixed\"", "trust = true");

        assertGood(node.apply(wanted, PATIENT));

        assertThat(node.node().acts())
                .containsExactly(
                        PF0 + " sriov_drivers_autoprobe = 0",
                        PF0 + " sriov_numvfs = 2",
                        PF0 + " sriov_drivers_autoprobe = 1",
                        FIRST_VF + " bound to vfio-pci",
                        "0000:41:10.2 bound to vfio-pci");
        assertThat(node.ipCalls())
                .hasSize(2)
                .allMatch(call -> call.matches("link set dev ens1 vf [01] mac [0-9a-f:]{17} trust on"));
        assertThat(node.drivers()).containsExactly("vfio-pci", "vfio-pci");
    }

    @Test
    void whatIsAsWantedIsNotTouched() throws Exception {
        List<WantedVfs> wanted = node.wanted("count = 2", "driver = \"vfio-pci\"", "mac = \"fixed\"");
        assertGood(node.apply(wanted, PATIENT));
        List<String> acts = node.node().acts();
        List<String> calls = node.ipCalls();

        assertGood(node.apply(wanted, PATIENT));

        assertThat(node.node().acts()).isEqualTo(acts);
        assertThat(node.ipCalls()).isEqualTo(calls);
    }

    @Test
    void numberChangesWhereNobodyHoldsAVf() throws Exception {
        assertGood(node.apply(node.wanted("count = 4"), PATIENT));
        assertGood(node.apply(node.wanted("count = 7"), PATIENT));
        assertThat(node.drivers()).hasSize(7).containsOnly("igbvf");

        assertGood(node.apply(node.wanted("count = 0"), PATIENT));
        assertThat(node.drivers()).isEmpty();
    }

    @Test
    void numberStaysWhereAPodHoldsAVfAndThePodIsNamed() throws Exception {
        assertGood(node.apply(node.wanted("count = 4"), PATIENT));
        node.hold(FIRST_VF);

        assertFailure(
                node.apply(node.wanted("count = 2"), PATIENT),
                "has 4 and not 2 VFs, and the kernel can only remove all at once: left as it is, since one is in use; "
                        + FIRST_VF
                        + ": container main of pod 6f1c has it, as 0000:41:10.0 of example.com/vf");
        assertThat(node.drivers()).hasSize(4);
    }

    @Test
    void numberStaysWhereAPodIsGivenAVfAfterThePlan() throws Exception {
        assertGood(node.apply(node.wanted("count = 4"), PATIENT));
        node.interfere(AUTOPROBE, () -> node.hold(FIRST_VF));

        assertFailure(
                node.apply(node.wanted("count = 2"), PATIENT),
                FIRST_VF
                        + ": container main of pod 6f1c has it, as 0000:41:10.0 of example.com/vf; count 0, which removes"
                        + " all VFs: not done, because a VF is in use by now");
        assertThat(node.drivers()).hasSize(4);
        assertThat(node.read(AUTOPROBE)).isEqualTo("1");
    }

    @Test
    void vfThatAPodIsGivenAfterThePlanKeepsItsDriverAndItsSettings() throws Exception {
        assertGood(node.apply(node.wanted("count = 2"), PATIENT));
        node.interfere("sys/bus/pci/drivers/igbvf/unbind", () -> node.hold("0000:41:10.2"));

        assertFailure(
                node.apply(node.wanted("count = 2", "driver = \"vfio-pci\""), PATIENT),
                "0000:41:10.2: container main of pod 6f1c has it, as 0000:41:10.2 of example.com/vf; VF 1: unbind from"
                        + " igbvf: not done, because a VF is in use by now");
        assertThat(node.drivers()).containsExactly("none", "igbvf");
    }

    @Test
    void notesOfPodsFromBeforeTheVfsWereMadeKeepNoSettingFromThem() throws Exception {
        node.hold(FIRST_VF);

        assertGood(node.apply(node.wanted("count = 2", "mac = \"fixed\""), PATIENT));

        assertThat(node.ipCalls()).hasSize(2);
    }

    @Test
    void autoprobeIsSwitchedOnAgainWhereALaterStepFails() throws Exception {
        node.interfere(COUNT, () -> {
            throw new IOException("Input/output error");
        });

        assertThat(node.apply(node.wanted("count = 2"), PATIENT).getFirst().isGood())
                .isFalse();

        assertThat(node.read(AUTOPROBE)).isEqualTo("1");
        assertThat(node.node().root().resolve("run/edgeplug/vfs")).isEmptyDirectory();
    }

    @Test
    void podThatHasADirectoryInTheKubeletsRootHoldsItsVfHoweverOldTheNotesAre() throws Exception {
        assertGood(node.apply(node.wanted("count = 4"), PATIENT));
        node.hold(FIRST_VF);
        Files.setLastModifiedTime(
                node.kubeletDir().resolve("kubelet_internal_checkpoint"), FileTime.from(Instant.EPOCH));
        Files.createDirectories(node.kubeletDir().resolveSibling("pods"));
        Path pod = Files.createDirectories(node.kubeletRoot().resolve("pods/6f1c"));

        assertThat(node.apply(node.wanted("count = 2"), PATIENT).getFirst().isGood())
                .isFalse();
        assertThat(node.drivers()).hasSize(4);

        Files.delete(pod);
        assertGood(node.apply(node.wanted("count = 2"), PATIENT));
    }

    @Test
    void notesOfTheBootBeforeHoldNothingUntilTheKubeletStartsAPod() throws Exception {
        assertGood(node.apply(node.wanted("count = 4"), PATIENT));
        node.hold(FIRST_VF);
        Files.setLastModifiedTime(
                node.kubeletDir().resolve("kubelet_internal_checkpoint"),
                FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        node.node().plug("proc/uptime = 3600.25 7000.00\n");
        Path pods = Files.createDirectories(node.node().root().resolve("sys/fs/cgroup/kubelet.slice/kubepods.slice"));

        assertThat(node.apply(node.wanted("count = 2"), PATIENT).getFirst().isGood())
                .isFalse();
        assertThat(node.drivers()).hasSize(4);

        Files.delete(pods);
        assertGood(node.apply(node.wanted("count = 2"), PATIENT));
    }

    /** As in the units, for which {@code /proc} has processes alone. */
    @Test
    void notesOfTheBootBeforeHoldNothingWhereTheUptimeHasNoFile() throws Exception {
        assertGood(node.apply(node.wanted("count = 4"), PATIENT));
        node.hold(FIRST_VF);
        Files.setLastModifiedTime(
                node.kubeletDir().resolve("kubelet_internal_checkpoint"), FileTime.from(Instant.EPOCH));
        Files.createDirectories(node.node().root().resolve("sys/fs/cgroup"));

        assertGood(node.apply(node.wanted("count = 2"), PATIENT));
    }

    @Test
    void notesOfThisBootHoldAVfBeforeThePodHasACgroup() throws Exception {
        assertGood(node.apply(node.wanted("count = 4"), PATIENT));
        node.hold(FIRST_VF);
        node.node().plug("proc/uptime = 3600.25 7000.00\n");
        Files.createDirectories(node.node().root().resolve("sys/fs/cgroup"));

        assertThat(node.apply(node.wanted("count = 2"), PATIENT).getFirst().isGood())
                .isFalse();
        assertThat(node.drivers()).hasSize(4);
    }

    @Test
    @NeedsRoot("has to know who uses a VF")
    void numberStaysWhereTheKubeletsNotesCannotBeRead() throws Exception {
        assertGood(node.apply(node.wanted("count = 4"), PATIENT));
        node.hold(FIRST_VF);
        Files.writeString(node.kubeletDir().resolve("kubelet_internal_checkpoint"), "{");

        assertThat(node.apply(node.wanted("count = 2"), PATIENT).getFirst().text())
                .contains("it is not known whether it is used: ");
        assertThat(node.drivers()).hasSize(4);
    }

    @Test
    void vfThatIsOpenThroughVfioIsNeitherRemovedNorBoundAnew() throws Exception {
        assertGood(node.apply(node.wanted("count = 2", "driver = \"vfio-pci\""), PATIENT));
        String group = plugGroupNode(FIRST_VF, "dev/vfio/");
        plugGroupNode("0000:41:10.2", "dev/vfio/");
        node.interfere(group, () -> {
            throw new IOException("Device or resource busy");
        });

        assertFailure(
                node.apply(node.wanted("count = 2"), PATIENT),
                "VF 0 is not bound anew, because it is in use; " + FIRST_VF
                        + ": a process has it open through VFIO, as /"
                        + group);
        // the other one is free
        assertThat(node.drivers()).containsExactly("vfio-pci", "igbvf");
        assertThat(node.apply(node.wanted("count = 1"), PATIENT).getFirst().isGood())
                .isFalse();
        assertThat(node.drivers()).hasSize(2);
    }

    @Test
    void vfThatIsOpenThroughVfioWithoutAnIommuIsNotBoundAnew() throws Exception {
        assertGood(node.apply(node.wanted("count = 1", "driver = \"vfio-pci\""), PATIENT));
        String group = plugGroupNode(FIRST_VF, "dev/vfio/noiommu-");
        String number = group.substring(group.lastIndexOf('-') + 1);
        node.node().plug("sys/kernel/iommu_groups/" + number + "/name = vfio-noiommu\n");
        node.interfere(group, () -> {
            throw new IOException("Device or resource busy");
        });

        assertThat(node.apply(node.wanted("count = 1"), PATIENT).getFirst().text())
                .endsWith("a process has it open through VFIO, as /" + group);
        assertThat(node.drivers()).containsExactly("vfio-pci");
    }

    @Test
    @NeedsRoot("has to know who uses a VF")
    void vfOfVfioWithoutANodeOfItsGroupCountsAsHeld() throws Exception {
        assertGood(node.apply(node.wanted("count = 1", "driver = \"vfio-pci\""), PATIENT));
        node.node().plug("dev/vfio/vfio = x\n");

        assertThat(node.apply(node.wanted("count = 2"), PATIENT).getFirst().text())
                .endsWith(
                        "it is not known whether it is open: vfio-pci has it, and there is no node of its IOMMU group in"
                                + " /dev/vfio");
        assertThat(node.drivers()).containsExactly("vfio-pci");
    }

    /** As the kernel makes it once the VF is bound. */
    private String plugGroupNode(String vf, String prefix) throws IOException {
        String group = prefix
                + node.node().sysfs().linkName(FUNCTIONS + vf + "/iommu_group").orElseThrow();
        node.node().plug(group + " = x\n");
        return group;
    }

    /** A run that breaks off and one that is killed leave the same: nothing is put back. */
    @ParameterizedTest
    @ValueSource(strings = {AUTOPROBE, COUNT, "ip", "sys/bus/pci/drivers/vfio-pci/bind", "second bind"})
    void nextRunFinishesWhatABrokenOneLeft(String place) throws Exception {
        assertGood(node.apply(node.wanted("count = 2"), PATIENT));
        List<WantedVfs> wanted = node.wanted("count = 3", "driver = \"vfio-pci\"", "mac = \"fixed\"", "trust = true");
        Path ipFails = node.node().root().resolve("ip.fails");
        AtomicInteger left = new AtomicInteger(place.equals(COUNT) || place.equals("second bind") ? 1 : 0);
        if (place.equals("ip")) {
            Files.createFile(ipFails);
        } else {
            String path = place.equals("second bind") ? "sys/bus/pci/drivers/vfio-pci/bind" : place;
            node.interfere(path, () -> {
                if (left.getAndDecrement() == 0) {
                    throw new IOException("Input/output error");
                }
            });
        }
        assertThat(node.apply(wanted, PATIENT).getFirst().isGood()).isFalse();

        Files.deleteIfExists(ipFails);
        assertGood(node.apply(wanted, PATIENT));

        assertThat(node.drivers()).containsExactly("vfio-pci", "vfio-pci", "vfio-pci");
        assertThat(node.read(AUTOPROBE)).isEqualTo("1");
        assertThat(node.node().root().resolve("run/edgeplug/vfs")).isEmptyDirectory();
        assertThat(node.vfs().plan(wanted).getFirst().steps()).isEmpty();
    }
}
