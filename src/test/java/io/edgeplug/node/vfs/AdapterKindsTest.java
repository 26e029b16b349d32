package io.edgeplug.node.vfs;

import static io.edgeplug.node.vfs.SriovNode.FUNCTIONS;
import static io.edgeplug.node.vfs.SriovNode.PATIENT;
import static io.edgeplug.node.vfs.SriovNode.PF0;
import static io.edgeplug.node.vfs.SriovNode.assertFailure;
import static io.edgeplug.node.vfs.SriovNode.assertGood;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.rules.Step;
import io.edgeplug.model.rules.VfAddresses;
import io.edgeplug.model.rules.WantedVfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** VFs of adapters that differ in what they can be told, and when: the eswitch, GUIDs and the MTU. */
final class AdapterKindsTest extends OnSriovNode {

    private static final String TO_SWITCHDEV = "dev eswitch set pci/" + PF0 + " mode switchdev";

    @Test
    void eswitchOfMlx5ChangesWhileItsVfsHaveNoDriverAndTheyStay() throws Exception {
        unpack(pf0 -> pf0.replace("drivers/igb", "drivers/mlx5_core"));
        assertGood(node.apply(node.wanted("count = 2"), PATIENT));
        List<WantedVfs> switchdev = node.wanted("count = 2", "eswitch = \"switchdev\"");

        assertGood(node.apply(switchdev, PATIENT));

        assertThat(node.devlinkCalls()).containsExactly(TO_SWITCHDEV);
        assertThat(node.drivers()).containsExactly("mlx5_core", "mlx5_core");
        assertThat(node.node().acts()).doesNotContain(PF0 + " sriov_numvfs = 0");
        assertIdempotent(switchdev);

        assertGood(node.apply(node.wanted("count = 2", "eswitch = \"legacy\""), PATIENT));
        assertThat(node.devlinkCalls()).last().asString().endsWith("mode legacy");
    }

    @Test
    void eswitchOfOthersChangesWhileThereAreNoVfs() throws Exception {
        unpack(pf0 -> pf0.replace("drivers/igb", "drivers/ice"));
        assertGood(node.apply(node.wanted("count = 2"), PATIENT));
        List<WantedVfs> switchdev = node.wanted("count = 3", "eswitch = \"switchdev\"");

        assertGood(node.apply(switchdev, PATIENT));

        assertThat(node.devlinkCalls()).containsExactly(TO_SWITCHDEV);
        assertThat(node.drivers()).containsExactly("iavf", "iavf", "iavf");
        assertThat(node.node().acts())
                .containsSubsequence(PF0 + " sriov_numvfs = 0", PF0 + " sriov_numvfs = 3", FIRST_VF + " bound to iavf");
        assertIdempotent(switchdev);
    }

    /** Their drivers show a switch ID also in legacy mode. */
    @ParameterizedTest
    @ValueSource(strings = {"ice", "mlx5_core"})
    void eswitchThatIsAsWantedIsLeftAlone(String driver) throws Exception {
        unpack(pf0 -> pf0.replace("drivers/igb", "drivers/" + driver));
        assertGood(node.apply(node.wanted("count = 2"), PATIENT));

        assertIdempotent(node.wanted("count = 2", "eswitch = \"legacy\""));
    }

    @Test
    void pfOfMlx4IsSaidToMakeItsVfsWhenItsDriverIsLoaded() throws Exception {
        unpack(pf0 -> pf0.replace("drivers/igb", "drivers/mlx4_core"));

        assertFailure(
                node.apply(node.wanted("count = 2"), PATIENT),
                "cannot be given VFs while its driver runs, which is mlx4_core: put \"options mlx4_core num_vfs=2\" into "
                        + "/etc/modprobe.d and boot");
    }

    @Test
    void eswitchThatADriverDoesNotHaveIsToldOf() throws Exception {
        assertFailure(
                node.apply(node.wanted("count = 2", "eswitch = \"switchdev\""), PATIENT),
                "eswitch switchdev: devlink: kernel answers: Operation not supported");
        assertThat(node.read(AUTOPROBE)).isEqualTo("1");
    }

    @Test
    void vfsOfInfinibandGetTheGuidsOfNodeAndPortBeforeTheirDriver() throws Exception {
        unpack(pf0 -> pf0.replace("drivers/igb", "drivers/mlx5_core").replace("net/ens1/type = 1\n", """
                        net/ens1/type = 32
                        infiniband/mlx5_0/node_type = 1: CA
                        infiniband/mlx5_0/node_guid = 0c42:a103:0065:2f3a
                        infiniband/mlx5_0/ports/1/link_layer = InfiniBand
                        """));
        List<WantedVfs> wanted = node.wanted("count = 2", "guid = \"0c:42:a1:03:00:65:30:00\"");
        node.interfere(
                "sys/bus/pci/drivers/mlx5_core/bind",
                () -> assertThat(node.ipCalls()).hasSize(4));
        node.interfere(
                "sys/bus/pci/drivers_probe", () -> assertThat(node.ipCalls()).hasSize(4));

        assertGood(node.apply(wanted, PATIENT));

        assertThat(node.ipCalls())
                .containsExactly(
                        "link set dev ens1 vf 0 node_guid 0c:42:a1:03:00:65:30:00",
                        "link set dev ens1 vf 0 port_guid 0c:42:a1:03:00:65:30:00",
                        "link set dev ens1 vf 1 node_guid 0c:42:a1:03:00:65:30:01",
                        "link set dev ens1 vf 1 port_guid 0c:42:a1:03:00:65:30:01");
        assertIdempotent(wanted);
    }

    /** As while udev renames its interface: derived from nothing, the addresses were the same on all nodes. */
    @Test
    void nothingIsDerivedFromAnAddressThatThePfDoesNotShow() throws Exception {
        unpack(pf0 -> pf0.replaceAll("net/ens1/address = .*\n", ""));

        assertFailure(
                node.apply(node.wanted("count = 2", "mac = \"fixed\""), PATIENT),
                "shows no MAC address now, from which those of its VFs are derived");
        assertThat(node.drivers()).isEmpty();
    }

    @Test
    void nothingIsDerivedFromAGuidThatThePfDoesNotShow() throws Exception {
        unpack(pf0 -> pf0.replace("net/ens1/type = 1\n", """
                        net/ens1/type = 32
                        infiniband/mlx5_0/node_type = 1: CA
                        infiniband/mlx5_0/ports/1/link_layer = InfiniBand
                        """));

        assertFailure(
                node.apply(node.wanted("count = 2", "guid = \"fixed\""), PATIENT),
                "shows no node GUID now, from which those of its VFs are derived");
        assertThat(node.drivers()).isEmpty();
    }

    @Test
    void mtuOfThePfIsWrittenOnceItDiffers() throws Exception {
        List<WantedVfs> wanted = node.wanted("count = 1", "mtu = 9000");

        assertGood(node.apply(wanted, PATIENT));

        assertThat(node.read(FUNCTIONS + PF0 + "/net/ens1/mtu")).isEqualTo("9000");
        assertThat(node.node().acts())
                .containsSubsequence(PF0 + " sriov_numvfs = 1", "ens1 mtu = 9000", FIRST_VF + " bound to igbvf");
        assertIdempotent(wanted);
    }

    @Test
    void mtuIsWrittenByTheNewNameIfUdevRenamesTheInterfaceJustThen() throws Exception {
        Path nets = node.node().root().resolve(FUNCTIONS + PF0 + "/net");
        node.interfere(FUNCTIONS + PF0 + "/net/ens1/mtu", () -> {
            Files.move(nets.resolve("ens1"), nets.resolve("uplink0"));
            throw new IOException("No such file or directory");
        });

        assertGood(node.apply(node.wanted("count = 1", "mtu = 9000"), PATIENT));

        assertThat(node.read(FUNCTIONS + PF0 + "/net/uplink0/mtu")).isEqualTo("9000");
    }

    /** The current address may be another one, from which other addresses would be derived. */
    @Test
    void permanentAddressIsAskedForByTheNewNameToo() throws Exception {
        Files.writeString(node.node().root().resolve("sbin/ip"), """
                #!/bin/sh
                cd "$(dirname "$0")/../sys/bus/pci/devices/0000:41:00.0/net"
                if [ "$5" = ens1 ]; then
                    mv ens1 uplink0
                    exit 1
                fi
                echo '[{"ifname":"uplink0","permaddr":"02:00:00:00:99:99"}]'
                """);

        PfPlan plan =
                node.vfs().plan(node.wanted("count = 1", "mac = \"fixed\"")).getFirst();

        assertThat(plan.steps())
                .filteredOn(VfsStep.Settings.class::isInstance)
                .singleElement()
                .isEqualTo(new VfsStep.Settings(
                        0,
                        Step.Vf.NONE.withMac(
                                VfAddresses.FIXED.mac("02:00:00:00:99:99", 0).orElseThrow())));
    }

    @Test
    void mtuThatTheDriverRefusesIsToldOf() throws Exception {
        node.interfere(FUNCTIONS + PF0 + "/net/ens1/mtu", () -> {
            throw new IOException("Invalid argument");
        });

        assertFailure(
                node.apply(node.wanted("count = 1", "mtu = 9000"), PATIENT), "mtu 9000: write mtu: Invalid argument");
    }

    private void assertIdempotent(List<WantedVfs> wanted) throws Exception {
        List<String> acts = node.node().acts();
        List<String> calls = node.ipCalls();
        List<String> devlink = node.devlinkCalls();
        assertGood(node.apply(wanted, PATIENT));
        assertThat(node.node().acts()).isEqualTo(acts);
        assertThat(node.ipCalls()).isEqualTo(calls);
        assertThat(node.devlinkCalls()).isEqualTo(devlink);
    }
}
