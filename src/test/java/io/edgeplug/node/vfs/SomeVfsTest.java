package io.edgeplug.node.vfs;

import static io.edgeplug.node.vfs.SriovNode.FUNCTIONS;
import static io.edgeplug.node.vfs.SriovNode.PATIENT;
import static io.edgeplug.node.vfs.SriovNode.PF0;
import static io.edgeplug.node.vfs.SriovNode.assertFailure;
import static io.edgeplug.node.vfs.SriovNode.assertGood;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.rules.WantedVfs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is done to some of a PF's VFs and not to others: those of an entry, and those that the node uses itself. */
final class SomeVfsTest extends OnSriovNode {

    @Test
    void vfThatTheNodeKeepsStaysAndOneThatItSparesDoesNot() throws Exception {
        assertGood(node.apply(node.wanted("count = 2"), PATIENT));
        Path net = Files.createDirectories(node.node().root().resolve(FUNCTIONS + FIRST_VF + "/net/ens1v0"));
        assertThat(net).isDirectory();
        Files.writeString(
                Files.createDirectories(node.node().root().resolve("proc/net")).resolve("route"),
                "ens1v0 00000000 0101A8C0 0003 0 0 100 00000000 0 0 0\n");

        assertFailure(
                node.apply(node.wanted("count = 3"), PATIENT),
                "has 2 and not 3 VFs, and the kernel can only remove all at once: left as it is, since one is in use; "
                        + FIRST_VF + ": the node uses it itself: it has the default route on ens1v0");
        assertFailure(
                node.apply(node.entries("""
                                [node]
                                keeps = ["ens1#1"]
                                spares = ["ens1#0"]
                                [[vfs]]
                                count = 3
                                match = { pf_names = ["ens1"] }
                                """), PATIENT),
                "has 2 and not 3 VFs, and the kernel can only remove all at once: left as it is, since one is in use; "
                        + "0000:41:10.2: the node uses it itself: it has its name under keeps of [node]");
        assertGood(node.apply(node.entries("""
                [node]
                spares = ["ens1#0"]
                [[vfs]]
                count = 3
                match = { pf_names = ["ens1"] }
                """), PATIENT));
    }

    @Test
    void groupsOfVfsOfOnePfGetADriverEachAndTheRestTheOther() throws Exception {
        List<WantedVfs> entries = node.entries("""
                [[vfs]]
                count = 4
                driver = "vfio-pci"
                match = { pf_names = ["ens1#0,3"] }

                [[vfs]]
                count = 4
                match = { root_devices = ["%s"] }
                """.formatted(PF0));

        assertGood(node.apply(entries, PATIENT));

        assertThat(node.drivers()).containsExactly("vfio-pci", "igbvf", "igbvf", "vfio-pci");
        assertThat(node.vfs().plan(entries).getFirst().isDone()).isTrue();
    }

    @Test
    void vfThatNoGroupNamesKeepsItsDriver() throws Exception {
        assertGood(node.apply(node.wanted("count = 2", "driver = \"vfio-pci\""), PATIENT));

        assertGood(node.apply(node.entries("""
                [[vfs]]
                count = 2
                match = { pf_names = ["ens1#1"] }
                """), PATIENT));

        assertThat(node.drivers()).containsExactly("vfio-pci", "igbvf");
    }
}
