package io.edgeplug.node.vfs;

import static io.edgeplug.node.vfs.SriovNode.FUNCTIONS;
import static io.edgeplug.node.vfs.SriovNode.PATIENT;
import static io.edgeplug.node.vfs.SriovNode.PF0;
import static io.edgeplug.node.vfs.SriovNode.assertGood;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.node.pods.HeldDevices;
import io.edgeplug.node.scan.PhysicalFunctionScan;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Holders are looked for while others change what is looked at. */
final class VfHoldersTest extends OnSriovNode {

    private static final PciAddress VF = PciAddress.parse(FIRST_VF).orElseThrow();

    @Test
    void vfThatHasLeftVfioSinceThePlanIsNotOpenThroughIt() throws Exception {
        assertGood(node.apply(node.wanted("count = 1", "driver = \"vfio-pci\""), PATIENT));
        node.node().plug("dev/vfio/vfio = x\n");
        PhysicalFunction before = pf(node.node().sysfs());

        node.node().sysfs().write("sys/bus/pci/drivers/vfio-pci/unbind", FIRST_VF);

        assertNoHolder(node.node().sysfs(), before);
    }

    @Test
    void notesThatAreDeletedDuringTheLookAreNone() throws Exception {
        assertGood(node.apply(node.wanted("count = 1"), PATIENT));
        node.hold(FIRST_VF);
        Path notes = node.kubeletDir().resolve(HeldDevices.FILE);
        Sysfs deleting = node.node().sysfs().announcing(path -> {
            if (path.equals("proc/uptime") && Files.exists(notes)) {
                assertThat(notes.toFile().delete()).isTrue();
            }
        });

        assertNoHolder(deleting, pf(deleting));
        assertThat(notes).doesNotExist();
    }

    @Test
    void interfaceThatGoesWithItsDriverIsInNoOtherNamespace() throws Exception {
        assertGood(node.apply(node.wanted("count = 1"), PATIENT));
        Path net = Files.createDirectory(node.node().root().resolve(FUNCTIONS + FIRST_VF + "/net"));
        assertThat(pf(node.node().sysfs()).vfs().getFirst().isInterfaceElsewhere())
                .isTrue();
        AtomicInteger looks = new AtomicInteger();
        Sysfs going = node.node().sysfs().announcing(path -> {
            if (path.endsWith(FIRST_VF + "/net") && looks.incrementAndGet() == 2) {
                assertThat(net.toFile().delete()).isTrue();
            }
        });

        assertThat(pf(going).vfs().getFirst().isInterfaceElsewhere()).isFalse();
    }

    private static PhysicalFunction pf(Sysfs sysfs) throws IOException {
        return new PhysicalFunctionScan(sysfs)
                .of(PciAddress.parse(PF0).orElseThrow())
                .orElseThrow();
    }

    private void assertNoHolder(Sysfs sysfs, PhysicalFunction pf) {
        NodeVfs.Kubelet kubelet = new NodeVfs.Kubelet(node.kubeletDir(), node.kubeletRoot());

        assertThat(new VfHolders(sysfs, kubelet, false).of(pf, Set.of(VF), KeptFunctions.NONE))
                .isEqualTo(new VfHolders.Found(Map.of(), Optional.empty()));
    }
}
