package io.edgeplug.cli.notes;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.cli.Console;
import io.edgeplug.lab.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code explain} says of a resource without devices. */
final class EmptyResourcesTest {

    @TempDir
    private Path root = Path.of("");

    @Test
    void resourceWithoutDevicesSaysWhyItHasNone() throws IOException {
        Path config = Files.writeString(root.resolve("edgeplug.toml"), """
                [[class]]
                resource = "example.com/net"
                kind = "vf"
                match = { drivers = ["iavf"] }

                [[class]]
                resource = "example.com/first"
                kind = "nic"
                match = { drivers = ["iavf"] }

                [[class]]
                resource = "example.com/later"
                kind = "nic"
                match = { pci_addresses = ["0000:00:05.0"] }
                """);

        assertThat(explain("vm-with-vfs", config, "example.com/net")).isEqualTo("""
                example.com/net: kind vf, no devices here
                  no device of this node matches
                  0000:00:05.0 would match but for kind vf: it is nic
                """);
        assertThat(explain("vm-with-vfs", config, "example.com/later")).isEqualTo("""
                example.com/later: kind nic, no devices here
                  earlier classes take what it would take: 0000:00:05.0
                """);
    }

    @Test
    void adapterThatIsChosenButHasVfsIsNamedBeforeThem() throws IOException {
        Path config = Files.writeString(root.resolve("edgeplug.toml"), """
                [[class]]
                resource = "example.com/shared"
                kind = "hca"
                shares = 100
                match = { pf_names = ["ens3np0"] }
                """);

        assertThat(explain("connectx-rdma", config, "example.com/shared")).isEqualTo("""
                example.com/shared: kind hca, no devices here
                  no device of this node matches
                  0000:81:00.0 would match but for "no VFs of its own": it has some
                  0000:81:00.1, 0000:81:00.2 would match but for kind hca: it is vf
                """);
    }

    @Test
    void deviceThatAllKeysChooseIsNamedBeforeThoseThatMissOneKey() throws IOException {
        Path config = Files.writeString(root.resolve("edgeplug.toml"), """
                [[class]]
                resource = "example.com/one"
                kind = "nic"
                match = { pci_addresses = ["0000:61:00.0"] }
                """);
        String more = "\n[proc/net]\nroute = Iface\\nenp97s0f0 00000000 0101A8C0 0003 0 0 100 00000000 0 0 0\\n\n";

        assertThat(explain("multi-numa", more, config, "example.com/one")).isEqualTo("""
                example.com/one: kind nic, no devices here
                  no device of this node matches
                  0000:61:00.0 would match but the node itself has the default route on enp97s0f0
                  0000:41:00.0 would match but for "pci_addresses 0000:61:00.0": it has 0000:41:00.0
                """);
    }

    private String explain(String machine, Path config, String resource) throws IOException {
        return explain(machine, "", config, resource);
    }

    private String explain(String machine, String more, Path config, String resource) throws IOException {
        try (SimulatedNode node = SimulatedNode.unpack(
                Files.readString(Machine.file(machine, "tree")) + more, root.resolve("node " + resource.length()))) {
            Console console = new Console();
            assertThat(console.execute(
                            "explain", "--sysroot", node.root().toString(), "--config", config.toString(), resource))
                    .isZero();
            return console.text();
        }
    }
}
