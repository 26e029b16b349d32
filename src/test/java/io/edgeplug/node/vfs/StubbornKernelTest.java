package io.edgeplug.node.vfs;

import static io.edgeplug.node.vfs.SriovNode.FUNCTIONS;
import static io.edgeplug.node.vfs.SriovNode.HASTY;
import static io.edgeplug.node.vfs.SriovNode.LONG;
import static io.edgeplug.node.vfs.SriovNode.PATIENT;
import static io.edgeplug.node.vfs.SriovNode.PF0;
import static io.edgeplug.node.vfs.SriovNode.PF1;
import static io.edgeplug.node.vfs.SriovNode.assertFailure;
import static io.edgeplug.node.vfs.SriovNode.assertGood;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.rules.WantedVfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** VFs are made on a simulated kernel that refuses, delays and is slow, as real ones are: each is told in a sentence. */
final class StubbornKernelTest extends OnSriovNode {

    @Test
    void pfThatIsBusyForAMomentIsAskedAgain() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        node.interfere(COUNT, () -> {
            if (calls.incrementAndGet() < 3) {
                throw new IOException("Device or resource busy");
            }
        });

        assertGood(node.apply(node.wanted("count = 2"), PATIENT));
    }

    @Test
    void pfThatStaysBusyIsToldOf() throws Exception {
        node.interfere(COUNT, () -> {
            throw new IOException("Device or resource busy");
        });

        assertFailure(
                node.apply(node.wanted("count = 2"), HASTY),
                "count 2: write sriov_numvfs: Device or resource busy, for more than 0 s: somebody else makes"
                        + " VFs of it, or its driver does not take the number now");
    }

    @Test
    void busWithoutRoomIsToldOfWithTheKernelsOption() throws Exception {
        node.interfere(COUNT, () -> {
            throw new IOException("No space left on device");
        });

        assertFailure(
                node.apply(node.wanted("count = 2"), PATIENT),
                "count 2: write sriov_numvfs: No space left on device: the firmware has left no room for so"
                        + " many VFs on the bus or in memory; ask for fewer, or boot with pci=realloc");
    }

    @Test
    void pfThatTakesItsTimeIsWaitedForAndToldOf() throws Exception {
        CountDownLatch wondered = new CountDownLatch(1);
        node.interfere(COUNT, () -> await(wondered));

        List<VfsApply.Outcome> outcomes = new VfsApply(node.vfs(), PATIENT, event -> {
                    if (event instanceof VfsApply.Event.Waiting waiting
                            && waiting.step().equals(new VfsStep.Count(2))) {
                        wondered.countDown();
                    }
                })
                .apply(node.wanted("count = 2"), pf -> true);

        assertGood(outcomes);
    }

    @Test
    void pfThatHangsCostsNoOtherPfItsVfs() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        node.interfere(COUNT, () -> {
            await(end);
            // Otherwise VFs would still be made while the test's directory is removed.
            throw new IOException("Input/output error");
        });

        List<VfsApply.Outcome> outcomes =
                node.apply(node.entries("[[vfs]]\ncount = 2\nmatch = { vendors = [\"8086\"] }\n"), HASTY);
        end.countDown();

        assertThat(outcomes)
                .extracting(VfsApply.Outcome::text)
                .containsExactly("count 2: takes longer than 0 s, and the kernel is still at it", "");
        assertThat(node.read(FUNCTIONS + PF1 + "/sriov_numvfs")).isEqualTo("2");
    }

    @Test
    void linksThatComeOneByOneAreWaitedFor() throws Exception {
        unpack(pf0 -> pf0.replace(SriovNode.PLACING, ""));
        CountDownLatch asked = new CountDownLatch(1);
        node.interfere(COUNT, asked::countDown);
        Thread kernel = Thread.ofPlatform().start(() -> {
            try {
                await(asked);
                for (int index = 0; index < 3; index++) {
                    node.node().plug(vf(index));
                }
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });

        assertGood(node.apply(node.wanted("count = 3", "driver = \"vfio-pci\""), PATIENT));

        assertThat(kernel.join(LONG)).isTrue();
        assertThat(node.drivers()).containsExactly("vfio-pci", "vfio-pci", "vfio-pci");
    }

    @Test
    void linksThatDoNotComeAreCounted() throws Exception {
        unpack(pf0 -> pf0.replace(SriovNode.PLACING, ""));
        node.node().plug(vf(0));

        assertFailure(
                node.apply(node.wanted("count = 3"), HASTY),
                "links to 3 VFs: after 0 s, 1 of 3 VFs are there; the kernel's log may say why");
    }

    @Test
    void driverThatDoesNotTakeAVfIsToldOf() throws Exception {
        node.interfere("sys/bus/pci/drivers/vfio-pci/bind", () -> {
            throw new IOException("Invalid argument");
        });

        assertFailure(
                node.apply(node.wanted("count = 1", "driver = \"vfio-pci\""), PATIENT),
                "VF 0: bind to vfio-pci: " + FIRST_VF + " is not taken by vfio-pci: write bind: Invalid argument");
        assertThat(node.drivers()).containsExactly("none");
    }

    @Test
    void vfKeepsItsDriverIfVfioCannotTakeItForWantOfAnIommu() throws Exception {
        assertGood(node.apply(node.wanted("count = 1", "driver = \"igbvf\""), PATIENT));
        Files.delete(node.node().root().resolve(FUNCTIONS + FIRST_VF + "/iommu_group"));
        node.node().plug("[sys/module/vfio/parameters]\nenable_unsafe_noiommu_mode = N\n");
        List<WantedVfs> wanted = node.wanted("count = 1", "driver = \"vfio-pci\"");

        assertThat(node.apply(wanted, PATIENT).getFirst().text())
                .contains("VF 0 is not bound to vfio-pci: it has no IOMMU group");
        assertThat(node.drivers()).containsExactly("igbvf");

        Files.writeString(node.node().root().resolve("sys/module/vfio/parameters/enable_unsafe_noiommu_mode"), "Y\n");
        assertGood(node.apply(wanted, PATIENT));
        assertThat(node.drivers()).containsExactly("vfio-pci");
    }

    @Test
    void programThatHangsIsEnded() throws Exception {
        Path modprobe = node.node().root().resolve("sbin/modprobe");
        Files.writeString(modprobe, "#!/bin/sh\nexec sleep 300\n");
        VfsDeadlines hasty = new VfsDeadlines(LONG, LONG, LONG, LONG, Duration.ZERO, LONG, LONG);

        assertFailure(
                node.apply(node.wanted("count = 1", "driver = \"vfio_pci\""), hasty),
                "load the module of vfio_pci: modprobe: took longer than 0 s and was ended");
    }

    @Test
    void driverThatIsNotThereIsToldOfBeforeAnythingIsChanged() throws Exception {
        assertFailure(
                node.apply(node.wanted("count = 1", "driver = \"vfio_pci\""), PATIENT),
                "load the module of vfio_pci: modprobe: no such thing");
        assertThat(node.node().acts()).isEmpty();
    }

    private static String vf(int index) {
        String address = "0000:41:10." + index;
        return """
                [sys/devices/pci0000:40/%1$s]
                vendor = 0x8086
                device = 0x10ca
                class = 0x020000
                driver_override = (null)
                physfn -> ../%2$s
                [sys/devices/pci0000:40/%2$s]
                virtfn%3$d -> ../%1$s
                [sys/bus/pci/devices]
                %1$s -> ../../../devices/pci0000:40/%1$s
                """.formatted(address, PF0, index);
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            if (!latch.await(LONG.toSeconds(), TimeUnit.SECONDS)) {
                throw new IOException("nobody came");
            }
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}
