package io.edgeplug.node.scan;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.NodeUse;
import io.edgeplug.model.device.NodeUse.Level;
import io.edgeplug.model.rules.KeptFunctions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Interfaces that stand on the interface of a function: bonds, bridges, tunnels and the like. */
final class NetStackTest extends OnNetInterfaces {

    @Test
    void portOfTheBondWithTheDefaultRouteIsNoCandidate() throws IOException {
        plug();
        Path net = Files.createDirectories(root.resolve("sys/class/net"));
        Files.createDirectories(net.resolve("br0/lower_bond0"));
        Files.createDirectories(net.resolve("bond0/lower_enp1s0"));
        routes4("br0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n");

        assertThat(NICS.takes(nic())).isFalse();
    }

    @Test
    void interfaceOfOpenVswitchWithTheDefaultRouteStandsForAllPorts() throws IOException {
        plug();
        add("ovs-system/lower_enp1s0/");
        write("br-ex/ifindex", "5");
        add("br-ex.100/lower_br-ex/");
        routes4("br-ex.100\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n");

        assertThat(use()).isEqualTo(new NodeUse(Level.ROUTE, "the default route on br-ex.100, above enp1s0"));
    }

    @Test
    void portOfOpenVswitchIsOneAlthoughItsInterfaceIsDown() throws IOException {
        plug();
        add("ovs-system/");
        write("ovs-system/flags", "0x1002");
        master("enp1s0", "ovs-system");

        assertThat(use()).isEqualTo(new NodeUse(Level.PORT, "enp1s0 as a port of ovs-system"));
    }

    @Test
    void vethPairLeadsFromOneBridgeToTheOther() throws IOException {
        plug();
        add("br0/bridge/");
        add("br0/lower_veth0/");
        add("veth0/");
        add("veth1/");
        write("veth0/ifindex", "7");
        write("veth0/iflink", "8");
        write("veth1/ifindex", "8");
        write("veth1/iflink", "7");
        master("veth1", "br1");
        add("br1/lower_enp1s0/");
        routes4("br0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0\n");

        assertThat(use().text()).isEqualTo("the default route on br0, above enp1s0");
    }

    @Test
    void pppoeSessionStandsForTheInterfaceThatItsPacketsLeaveBy() throws IOException {
        plug();
        add("enp1s0.7/lower_enp1s0/");
        write("ppp0/type", "512");
        write("ppp0/ifindex", "5");
        write("ppp0/iflink", "5");
        routes4("ppp0\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n");
        assertThat(use()).isEqualTo(NodeUse.NONE);

        Files.writeString(root.resolve("proc/net/pppoe"), """
                Id       Address              Device
                04000000 02:00:00:00:00:02 enp1s0.7
                """);
        assertThat(use()).isEqualTo(new NodeUse(Level.ROUTE, "the default route on ppp0, above enp1s0"));
        hideAllButProcesses();
        assertThat(use()).isEqualTo(new NodeUse(Level.ROUTE, "the default route on ppp0, above enp1s0"));
    }

    /** As those of GRE, IP in IP and IPsec are, if they were made for one interface. */
    @Test
    void tunnelThatIsBoundToAnInterfaceStandsForIt() throws IOException {
        plug();
        write("enp1s0/ifindex", "2");
        write("gre1/type", "778");
        write("gre1/ifindex", "5");
        write("gre1/iflink", "2");
        routes4("gre1\t00000000\t00000000\t0001\t0\t0\t0\t00000000\t0\t0\t0\n");

        assertThat(use()).isEqualTo(new NodeUse(Level.ROUTE, "the default route on gre1, above enp1s0"));
    }

    @Test
    void portOfABondThatIsDownIsFree() throws IOException {
        plug();
        add("bond1/");
        master("enp1s0", "bond1");
        write("bond1/flags", "0x1403");
        assertThat(use()).isEqualTo(new NodeUse(Level.PORT, "enp1s0 as a port of bond1"));
        assertThat(NICS.offer(nic())).isEqualTo(NodeUse.Offer.WITH_NOTE);

        write("bond1/flags", "0x1402");
        assertThat(use()).isEqualTo(NodeUse.NONE);
    }

    @Test
    void vlanInABridgeMakesItsInterfaceAPort() throws IOException {
        plug();
        add("enp1s0/upper_enp1s0.5/");
        master("enp1s0.5", "br0");
        write("br0/flags", "0x1003");

        assertThat(use()).isEqualTo(new NodeUse(Level.PORT, "enp1s0.5 as a port of br0, above enp1s0"));
    }

    @Test
    void routesOfAVrfAreNotKnownSoItsPortsCountAsTheUplink() throws IOException {
        plug();
        master("enp1s0", "mgmt");
        write("mgmt/flags", "0x14c1");

        assertThat(use()).isEqualTo(new NodeUse(Level.ROUTE, "enp1s0 in the VRF mgmt, whose routes are not known"));
    }

    @Test
    void addressOnAVlanIsAUseOfItsInterfaceAndALinkLocalOneIsNone() throws IOException {
        plug();
        add("enp1s0.5/lower_enp1s0/");
        addresses6("fe80000000000000505400fffe6f219c 02 40 20 80 enp1s0\n");
        assertThat(use()).isEqualTo(NodeUse.NONE);

        addresses6("fd000000000000000000000000000001 03 40 00 80 enp1s0.5\n");
        assertThat(use()).isEqualTo(new NodeUse(Level.ADDRESS, "an address on enp1s0.5, above enp1s0"));
    }

    @Test
    void routesOfAVrfAreThoseOfItsTable() throws IOException {
        plug();
        master("enp1s0", "mgmt");
        write("mgmt/flags", "0x14c1");
        routes("ipv4 254 0 enp9s0", "ipv4 10 24 enp1s0");
        assertThat(use()).isEqualTo(new NodeUse(Level.PORT, "enp1s0 as a port of mgmt"));

        routes("ipv4 254 0 enp9s0", "ipv4 10 0 enp1s0");
        assertThat(use()).isEqualTo(new NodeUse(Level.ROUTE, "the default route of table 10 on enp1s0"));
    }

    /** WireGuard does not show by which interface its packets leave. A dummy interface has none. */
    @Test
    void everyAddressMayCarryATunnelWithTheOnlyDefaultRoute() throws IOException {
        plug();
        write("wg0/type", "65534");
        write("wg0/ifindex", "5");
        write("wg0/iflink", "5");
        routes("ipv4 254 0 wg0", "ipv4 254 24 enp1s0");
        assertThat(use())
                .isEqualTo(new NodeUse(
                        Level.PORT, "an address on enp1s0, and may carry the packets of the default route on wg0"));
        assertThat(new KeptFunctions(List.of(), List.of(), true).use(nic()).objection())
                .isPresent();

        routes("ipv4 51820 0 wg0", "ipv4 254 24 enp1s0", "ipv4 254 0 enp9s0");
        assertThat(use()).isEqualTo(new NodeUse(Level.ADDRESS, "an address on enp1s0"));
    }
}
