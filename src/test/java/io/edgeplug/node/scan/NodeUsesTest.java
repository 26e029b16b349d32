package io.edgeplug.node.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.NodeUse;
import io.edgeplug.model.device.NodeUse.Level;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.model.rules.Requirement;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which routes and addresses make a function one that the node itself uses. */
final class NodeUsesTest extends OnNetInterfaces {

    @Test
    void virtioNicIsFoundByTheInterfaceOfItsVirtioDevice() throws IOException {
        plug();

        assertThat(nic().function().netNames()).containsExactly("enp1s0");
        assertThat(NICS.takes(nic())).isTrue();
    }

    @Test
    void nicWithTheDefaultRouteIsNoCandidateAndSaysWhy() throws IOException {
        plug();
        routes4("enp1s0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n");

        assertThat(NICS.takes(nic())).isFalse();
        assertThat(NICS.requirements(nic()))
                .contains(new Requirement("no such use by the node itself", "the default route on enp1s0", false));
    }

    /** The sandbox of the service hides the link {@code /proc/net}, so the daemon once saw no routes at all. */
    @Test
    void routesAreSeenWhereProcHasProcessesAlone() throws IOException {
        plug();
        routes4("enp1s0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n");
        hideAllButProcesses();

        assertThat(NICS.takes(nic())).isFalse();
    }

    @Test
    void hcaWithTheDefaultRouteIsACandidateForRdmaLeavesItsInterfaceToTheNode() throws IOException {
        plug();
        Path rxe = Files.createDirectories(root.resolve("sys/devices/virtual/infiniband/rxe0"));
        Files.writeString(rxe.resolve("parent"), "enp1s0\n");
        Files.writeString(rxe.resolve("node_guid"), "5054:00ff:fe6f:219d\n");
        routes4("enp1s0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n");
        DeviceClass hcas = DeviceClass.of(
                ResourceName.parse("example.com/hca"),
                Kind.HCA,
                new Selector(Map.of(SelectorWord.PF_NAMES, List.of("enp1s0"))));

        PciDevice hca = new DeviceScan(Sysfs.at(root)).function(ADDRESS).getFirst();

        assertThat(hca.function().nodeUse().level()).isEqualTo(Level.ROUTE);
        assertThat(hcas.takes(hca)).isTrue();
        assertThat(hcas.requirements(hca))
                .contains(new Requirement("any use by the node itself", "the default route on enp1s0", true));
        assertThat(NICS.takes(hca)).isFalse();
    }

    @Test
    void ipv6DefaultRouteCountsToo() throws IOException {
        plug();
        routes6(ZEROS + " 00 " + ZEROS
                + " 00 fe800000000000000000000000000001 00000400 00000003 00000000 00000003 enp1s0\n");

        assertThat(NICS.takes(nic())).isFalse();
    }

    @Test
    void otherRoutesDoNotCount() throws IOException {
        plug();
        routes4("""
                enp1s0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0
                tun0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
                """);
        routes6(ZEROS + " 00 " + ZEROS + " 00 " + ZEROS + " ffffffff 00000001 00000000 00200200       lo\n");

        assertThat(NICS.takes(nic())).isTrue();
    }

    /** As a captured node has it, of what the kernel tells by netlink. */
    @Test
    void everyNextHopOfTheDefaultRouteCarriesIt() throws IOException {
        plug();
        routes("ipv4 254 0 enp9s0", "ipv4 254 0 enp1s0");
        assertThat(use()).isEqualTo(new NodeUse(Level.ROUTE, "the default route on enp1s0"));

        routes("ipv6 254 0 enp9s0", "ipv6 254 0 enp1s0");
        assertThat(use().level()).isEqualTo(Level.ROUTE);
    }

    @Test
    void defaultRouteOfAnotherTableCountsAndIsNamedWithIt() throws IOException {
        plug();
        add("enp1s0.5/lower_enp1s0/");
        routes("ipv4 254 0 enp9s0", "ipv4 4294967295 0 enp1s0.5", "no route", "ipv4 254 24");

        assertThat(use())
                .isEqualTo(new NodeUse(Level.ROUTE, "the default route of table 4294967295 on enp1s0.5, above enp1s0"));
    }

    @Test
    void twoHalvesOfAllAddressesAreADefaultRoute() throws IOException {
        plug();
        routes4("enp1s0\t00000080\t0101A8C0\t0003\t0\t0\t100\t00000080\t0\t0\t0\n");

        assertThat(use().level()).isEqualTo(Level.ROUTE);
    }

    @Test
    void useThatCannotBeReadCountsAsTheDefaultRoute() throws IOException {
        plug();
        Files.createDirectories(root.resolve("proc/net/route"));

        assertThat(new DeviceScan(Sysfs.at(root))
                        .function(ADDRESS)
                        .getFirst()
                        .function()
                        .nodeUse())
                .isEqualTo(NodeUse.unknown("read route: Is a directory"));
    }

    @Test
    void administratorOverrulesByName() throws IOException {
        plug();
        routes4("enp1s0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n");

        assertThat(new KeptFunctions(List.of(), List.of("enp1*"), false).use(nic()))
                .isEqualTo(NodeUse.NONE);
        assertThat(new KeptFunctions(List.of(), List.of("enp1s0#0"), false)
                        .use(nic())
                        .level())
                .isEqualTo(Level.ROUTE);
        assertThat(new KeptFunctions(List.of(ADDRESS.toString()), List.of("enp1s0"), false).use(nic()))
                .isEqualTo(new NodeUse(Level.ROUTE, "its name under keeps of [node]"));
    }
}
