package io.edgeplug.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.model.rules.ClaimChoice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Step;
import io.edgeplug.system.kernel.LinkAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a class may say of network interfaces. */
final class InterfaceReaderTest {

    @TempDir
    private Path directory = Path.of("");

    private Path file(String kind, String lines) throws Exception {
        return Files.writeString(directory.resolve("edgeplug.toml"), """
                [[class]]
                resource = "example.com/net"
                kind = "%s"
                match = { vendors = ["8086"] }
                %s
                """.formatted(kind, lines));
    }

    private DeviceClass read(String kind, String lines) throws Exception {
        return ConfigFiles.read(file(kind, lines)).classes().getFirst();
    }

    private void assertMistakes(String kind, String lines, String... mistakes) throws Exception {
        Path file = file(kind, lines);
        ConfigException told = catchThrowableOfType(ConfigException.class, () -> ConfigFiles.read(file));
        assertThat(String.valueOf(told.getMessage())
                        .lines()
                        .map(line -> line.replaceAll("^.*\\(example.com/net\\): ", "")))
                .containsExactlyInAnyOrder(mistakes);
    }

    @Test
    void interfaceMovesAfterAllOtherSteps() throws Exception {
        DeviceClass read = read("vf", """
                hand_over = "cdi"
                [class.prepare]
                reset = "flr"
                vf = { vlan = 100 }
                [class.interface]
                name = "data0"
                mtu = 9000
                addresses = ["192.0.2.{vf}/24", "2001:db8::{vf}/64"]
                """);
        assertThat(read.recipe().steps())
                .extracting(step -> step.word() + ": " + step.text())
                .containsExactly(
                        "vf: vlan 100",
                        "reset: flr",
                        "interface: into the pod as data0, mtu 9000, 192.0.2.{vf}/24, 2001:db8::{vf}/64");
        assertThat(read.preparesStarts()).isTrue();
        assertThat(read.tracksUse()).isTrue();
    }

    @Test
    void emptyTableIsEnough() throws Exception {
        Step.Interface moved = read("nic", """
                hand_over = "cdi"
                [class.interface]
                """).recipe().movedInterface().orElseThrow();
        assertThat(moved.name()).isEqualTo("net1");
        assertThat(moved.mtu()).isEqualTo(OptionalInt.empty());
        assertThat(moved.free(Set.of())).isEqualTo("net1");
        assertThat(moved.free(Set.of("net1", "net3"))).isEqualTo("net2");
        assertThat(moved.free(Set.of("net1", "net2"))).isEqualTo("net3");
        assertThat(read("sf", "api = \"dra\"\n[class.interface]\n").recipe().movedInterface())
                .isPresent();
        assertThat(read("vf", "hand_over = \"cdi\"").recipe().movedInterface()).isEmpty();
    }

    @Test
    void allMistakesAreToldAtOnce() throws Exception {
        assertMistakes(
                "vf",
                """
                shares = 2
                [class.interface]
                name = "eth0"
                mtu = 60
                addresses = ["192.0.2.0/24", "192.0.2.{sf}/24", "192.0.2.7"]
                addresses_file = "addresses"
                gateway = "192.0.2.1"
                """,
                "interface: needs hand_over = \"cdi\": the container runtime moves the interface, and only a CDI"
                        + " specification can tell it to",
                "interface: contradicts shares: an interface can only be in one pod",
                "interface.name: \"eth0\" is the interface of the pod's own network: choose another name, as net1",
                "interface.mtu: must be 68 to 65535, not 60",
                "interface.addresses: \"192.0.2.0/24\" is not an address of a host with its prefix, as 192.0.2.7/24 or"
                        + " 192.0.2.{vf}/24",
                "interface.addresses: \"192.0.2.{sf}/24\": {sf} is none of {id}, {bdf}, {numa_node}, {driver}, {iommu_group},"
                        + " {vendor}, {device}, {pf}, {pf_bdf}, {vf}, {netdev}, {rdma}",
                "interface.addresses: \"192.0.2.7\" is not an address of a host with its prefix, as 192.0.2.7/24 or"
                        + " 192.0.2.{vf}/24",
                "interface.addresses_file: \"addresses\" is not an absolute path",
                "interface.addresses_file: contradicts addresses: give the addresses in one of the two places",
                "interface.gateway: unknown key, there are name, mtu, addresses, addresses_file");
    }

    @Test
    void claimChoosesTheNameAndAddressesInNetworks() throws Exception {
        DeviceClass read = ConfigFiles.read(file("vf", """
                api = "dra"
                interface = { mtu = 9000, addresses_file = "/etc/edgeplug/net" }
                [class.claims]
                interface_name = true
                networks = ["192.0.2.0/24", "2001:db8::/64"]
                """)).claimed().getFirst();
        LinkAddress address = LinkAddress.parse("192.0.2.7/25").orElseThrow();
        ClaimChoice name = new ClaimChoice(Step.Vf.NONE, Optional.empty(), Optional.of("data0"), List.of());
        ClaimChoice addresses = new ClaimChoice(Step.Vf.NONE, Optional.empty(), Optional.empty(), List.of(address));

        assertThat(read.claims().choices().networks().getFirst().contains(address))
                .isTrue();
        assertThat(read.recipe().with(name).steps())
                .extracting(Step::text)
                .containsExactly("into the pod as data0, mtu 9000, addresses of /etc/edgeplug/net");
        assertThat(read.recipe().with(name.and(addresses)).steps())
                .extracting(Step::text)
                .containsExactly("into the pod as data0, mtu 9000, 192.0.2.7/25");
        assertThat(read.recipe().with(addresses.and(name)))
                .isEqualTo(read.recipe().with(name.and(addresses)));
    }

    @Test
    void claimsChooseOnlyWhereInterfacesMove() throws Exception {
        assertMistakes(
                "vf",
                """
                api = "dra"
                [class.claims]
                interface_name = false
                networks = ["192.0.2.7/24", "192.0.2.0"]
                """,
                "claims.interface_name: needs [class.interface], which gives interfaces to pods",
                "claims.networks: needs [class.interface], which gives interfaces to pods",
                "claims.networks: \"192.0.2.7/24\" is not a network with its prefix, as 192.0.2.0/24 or 2001:db8::/64",
                "claims.networks: \"192.0.2.0\" is not a network with its prefix, as 192.0.2.0/24 or 2001:db8::/64");
    }

    @Test
    void namesAreThoseOfTheKernelAndCanBeCounted() throws Exception {
        for (String name : new String[] {"net", "1", "a-name-of-15-c1", "net 1", "net1/", "net12345"}) {
            assertMistakes(
                    "vf",
                    "hand_over = \"cdi\"\ninterface = { name = \"" + name + "\" }",
                    "interface.name: \"" + name
                            + "\" is not a name of at most 14 characters that ends in a number, as net1: further interfaces of the pod"
                            + " get the next numbers");
        }
        assertThat(read("vf", "hand_over = \"cdi\"\ninterface = { name = \"a-name-of-14c1\" }")
                        .recipe()
                        .movedInterface())
                .isPresent();
    }

    @Test
    void deviceWithoutInterfaceHasNoneToMove() throws Exception {
        assertMistakes("fpga", "hand_over = \"cdi\"\ninterface = {}", "interface: does not apply to kind fpga");
        assertMistakes(
                "vf",
                "hand_over = \"cdi\"\nprepare = { driver = \"vfio-pci\" }\ninterface = {}",
                "interface: contradicts the driver vfio-pci of [class.prepare], which makes no interface");
    }
}
