package io.edgeplug.node.vfs;

import static io.edgeplug.node.vfs.SriovNode.HASTY;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.system.flow.LosableThreads;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Only PFs that an entry may still take are waited for. */
final class PfReadinessTest extends OnSriovNode {

    @Test
    void pfThatUdevHasNotNamedIsWaitedForOnlyByEntriesOfItsDriver() throws Exception {
        node.node().plug("sys/class/net/ens1/ifindex = 7\n");
        Files.createDirectories(node.node().root().resolve("run/udev/data"));

        assertThat(areAllReady("drivers = [\"igb\"]")).isFalse();
        assertThat(areAllReady("drivers = [\"ice\"]")).isTrue();

        Files.createFile(node.node().root().resolve("run/udev/data/n7"));
        assertThat(areAllReady("drivers = [\"igb\"]")).isTrue();
    }

    @Test
    void interfaceIsWaitedForOnlyWhereTheAdapterMayHaveOne() throws Exception {
        node.node().plug("""
                [sys/bus/pci/drivers]
                qat_4xxx/bind = x
                [sys/devices/pci0000:40/0000:6b:00.0]
                vendor = 0x8086
                device = 0x4940
                class = 0x0b4000
                subsystem -> ../../../bus/pci
                driver -> ../../../bus/pci/drivers/qat_4xxx
                sriov_totalvfs = 16
                sriov_numvfs = 0
                [sys/bus/pci/devices]
                0000:6b:00.0 -> ../../../devices/pci0000:40/0000:6b:00.0
                """);

        assertThat(areAllReady("vendors = [\"8086\"]")).isTrue();
    }

    private boolean areAllReady(String match) throws Exception {
        List<WantedVfs> entries = node.entries("[[vfs]]\ncount = 1\ntrust = true\nmatch = { " + match + " }\n");
        return new PfReadiness(node.node().sysfs(), new LosableThreads()).await(entries, pf -> true, HASTY);
    }
}
