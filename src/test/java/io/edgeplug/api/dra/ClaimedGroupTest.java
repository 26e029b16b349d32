package io.edgeplug.api.dra;

import static io.edgeplug.node.supply.SupplyNode.A;
import static io.edgeplug.node.supply.SupplyNode.B;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Claims of the members of one IOMMU group, of which the kernel lets one container alone have any. */
@Timeout(90)
final class ClaimedGroupTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void claimRightAfterTheReleaseOfTheWholeGroupGetsAMemberOfIt() throws Exception {
        try (DraNode node =
                DraNode.open(directory, Files.readString(Machine.file("vfio-groups", "tree")), """
                        [[class]]
                        resource = "example.com/dpu"
                        kind = "nic"
                        api = "dra"
                        [class.match]
                        pci_addresses = ["%s", "%s"]
                        """.formatted(A, B))) {
            PluginInfo ignored = node.kubelet.register();
            node.allocate("mine", DeviceNames.of(A), DeviceNames.of(B));
            node.allocate("yours", DeviceNames.of(A));
            node.allocate("ours", DeviceNames.of(B));
            assertThat(node.kubelet.prepare("mine").getError()).isEmpty();
            assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();

            assertThat(node.kubelet.prepare("yours").getError()).isEmpty();
            assertThat(node.kubelet.prepare("ours").getError())
                    .endsWith("its IOMMU group 17 is in use: a container holds " + A);
        }
    }
}
