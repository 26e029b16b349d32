package io.edgeplug.model.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.model.rules.VfAddresses;
import io.edgeplug.model.rules.WantedVfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VfsReaderTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void entryIsReadFromAnyFileAndNeedsNoClass() throws Exception {
        Files.writeString(Files.createDirectory(directory.resolve("class.d")).resolve("10-vfs.toml"), """
                [[vfs]]
                count = 4
                driver = "vfio-pci"
                mac = "fixed"
                vlan = 100
                trust = true
                spoof_check = false
                min_tx_rate = 10
                max_tx_rate = 1000
                link_state = "enable"
                mtu = 9000
                eswitch = "switchdev"
                rdma_netns = "exclusive"
                [vfs.match]
                vendors = ["8086"]
                pf_names = ["ens*"]
                """);

        List<WantedVfs> read = read("log_level = \"info\"");

        assertThat(read).hasSize(1);
        assertThat(read.getFirst().text())
                .isEqualTo(
                        "4 VFs, eswitch switchdev, driver vfio-pci, mtu 9000, mac fixed, vlan 100, trust on, spoof check"
                                + " off, at least 10 Mbit/s, at most 1000 Mbit/s, link enable");
        assertThat(read.getFirst().place()).endsWith("class.d/10-vfs.toml, line 1");
        assertThat(read.getFirst().rdmaNetns()).contains(WantedVfs.RdmaNetns.EXCLUSIVE);
    }

    @Test
    void addressesAreAWordABaseOrAList() throws Exception {
        assertThat(mac("mac = \"keep\"")).isEqualTo(VfAddresses.KEEP);
        assertThat(mac("mac = \"02:00:00:00:10:0A\""))
                .isEqualTo(new VfAddresses(VfAddresses.Source.BASE, List.of("02:00:00:00:10:0a")));
        assertThat(mac("mac = [\"02:00:00:00:10:0A\", \"02:00:00:00:10:0b\"]"))
                .isEqualTo(new VfAddresses(VfAddresses.Source.LIST, List.of("02:00:00:00:10:0a", "02:00:00:00:10:0b")));
    }

    private VfAddresses mac(String line) throws IOException, ConfigException {
        return read("[[vfs]]\ncount = 2\n" + line + "\nmatch = { drivers = [\"ice\"] }\n")
                .getFirst()
                .mac();
    }

    @Test
    void allMistakesOfAllEntriesAreToldAtOnce() throws Exception {
        assertMistakes(
                """
                [[vfs]]
                driver = "vfio pci"
                mac = "random"
                guid = ["02:00:00:00:00:00:10:00", "02:00:00:00:00:00:10:00"]
                vlan = 4095
                min_tx_rate = 2
                max_tx_rate = 1
                link_state = "up"
                mtu = 10
                eswitch = "offload"
                rdma_netns = "own"
                colour = "red"
                [vfs.match]
                pf_names = ["ens1#"]
                pci_addresses = ["3b"]

                [[vfs]]
                count = 3
                mac = ["02:00:00:00:10:0a"]
                """,
                "line 1: vfs 1: count: missing: say how many VFs each PF is to have",
                "line 2: vfs 1: driver: \"vfio pci\" is not a name of a driver, as vfio-pci",
                "line 3: vfs 1: mac: \"random\" is not keep, fixed or a station's address, as 02:00:00:00:10:00",
                "line 4: vfs 1: guid: has \"02:00:00:00:00:00:10:00\" twice",
                "line 5: vfs 1: vlan: must be 0 to 4094, not 4095",
                "line 6: vfs 1: min_tx_rate: is more than max_tx_rate",
                "line 8: vfs 1: link_state: \"up\" is not auto, enable or disable",
                "line 9: vfs 1: mtu: must be 68 to 65535, not 10",
                "line 10: vfs 1: eswitch: \"offload\" is none of legacy, switchdev",
                "line 11: vfs 1: rdma_netns: \"own\" is none of shared, exclusive",
                "line 12: vfs 1: colour: unknown key, there are match, count, driver, mac, guid, vlan, trust, spoof_check,"
                        + " min_tx_rate, max_tx_rate, link_state, mtu, eswitch, rdma_netns",
                "line 14: vfs 1: match.pf_names: \"ens1#\" needs VF numbers after #, as 0,2-7",
                "line 15: vfs 1: match.pci_addresses: \"3b\" is not a PCI address, as 0000:3b:02.1",
                "line 17: vfs 2: match: missing: say in [vfs.match] which PFs get the VFs",
                "line 19: vfs 2: mac: has 1 of the 3 that count asks for");
    }

    @Test
    void vfsThatAreNamedAreThoseOfAllItsPfsAndOfTheCount() throws Exception {
        assertMistakes(
                "[[vfs]]\ncount = 4\nmatch = { pf_names = [\"ens1#0-4\", \"ens2#1\"] }\n",
                "line 2: vfs 1: count: is 4, so there is no VF 4",
                "line 3: vfs 1: match: names different VFs of its PFs after #: write an entry for each");
    }

    @Test
    void twoEntriesThatNameOnePfAreAMistake() throws Exception {
        String entry = "[[vfs]]\ncount = 1\n[vfs.match]\npci_addresses = [\"0000:3B:00.0\"]\n";

        assertMistakes(
                entry + entry.replace("3B", "3b"),
                "line 8: vfs 2: match.pci_addresses: \"0000:3b:00.0\" is that of the [[vfs]] in " + file()
                        + ", line 3 too");
    }

    private void assertMistakes(String toml, String... mistakes) {
        ConfigException told = catchThrowableOfType(ConfigException.class, () -> read(toml));
        assertThat(String.valueOf(told.getMessage()).lines().map(line -> line.replace(file() + ": ", "")))
                .containsExactly(mistakes);
    }

    private List<WantedVfs> read(String toml) throws IOException, ConfigException {
        return ConfigFiles.read(Files.writeString(file(), toml)).vfs();
    }

    private Path file() {
        return directory.resolve("edgeplug.toml");
    }
}
