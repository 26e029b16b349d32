package io.edgeplug.node.prepare;

import static io.edgeplug.node.prepare.PreparedNode.DEVICES;
import static io.edgeplug.node.prepare.PreparedNode.PATIENCE;
import static io.edgeplug.node.prepare.PreparedNode.VF0;
import static io.edgeplug.node.prepare.PreparedNode.VF1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.model.rules.Recipe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who joins whom, who waits for whom, and what programs are told. */
@Timeout(60)
final class PreparerTest {

    private static final Duration SHORT = Duration.ofMillis(200);

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private PreparedNode prepared;

    @BeforeEach
    void open() throws IOException {
        prepared = PreparedNode.open(directory);
    }

    @Test
    void whoAsksAgainJoinsUntilTheResultIsCollected() throws Exception {
        Path fifo = prepared.hang(DEVICES + VF0 + "/reset");
        Recipe recipe = prepared.recipe("vf", "reset = \"flr\"");
        Preparation first = prepared.preparer.prepare(prepared.device(VF0), recipe);

        assertThat(first.await(SHORT)).isFalse();
        assertThat(first.isInKernel()).isTrue();
        assertThat(prepared.preparer.prepare(prepared.device(VF0), recipe)).isSameAs(first);
        PreparedNode.read(fifo);
        assertThat(first.await(PATIENCE)).isTrue();
        assertThat(prepared.preparer.prepare(prepared.device(VF0), recipe)).isSameAs(first);
        prepared.preparer.collect(first);
        Preparation next = prepared.preparer.prepare(prepared.device(VF0), recipe);
        assertThat(next).isNotSameAs(first);
        PreparedNode.read(fifo);
        assertThat(next.await(PATIENCE)).isTrue();
    }

    @Test
    void devicesArePreparedSideBySide() throws Exception {
        Path fifo = prepared.hang(DEVICES + VF0 + "/reset");
        Recipe recipe = prepared.recipe("vf", "reset = \"flr\"");
        Preparation stuck = prepared.preparer.prepare(prepared.device(VF0), recipe);

        prepared.prepare(VF1, recipe);

        assertThat(stuck.await(Duration.ZERO)).isFalse();
        PreparedNode.read(fifo);
        assertThat(stuck.await(PATIENCE)).isTrue();
    }

    @Test
    void busIsResetOnlyWhenNothingOnItIsPrepared() throws Exception {
        Path fifo = prepared.hang(DEVICES + VF0 + "/reset");
        Preparation first = prepared.preparer.prepare(prepared.device(VF0), prepared.recipe("vf", "reset = \"flr\""));
        assertThat(first.await(SHORT)).isFalse();
        Preparation other = prepared.preparer.prepare(prepared.device(VF1), prepared.recipe("vf", "reset = \"bus\""));

        assertThat(other.await(SHORT)).isFalse();
        assertThat(other.progress())
                .isEqualTo("it waits for the preparation of another device, or for another process");
        assertThat(other.isInKernel()).isFalse();
        PreparedNode.read(fifo);

        assertThat(first.await(PATIENCE)).isTrue();
        assertThatThrownBy(() -> other.await(PATIENCE)).hasMessageContaining("the kernel offers no bus for it");
    }

    @Test
    void closingKillsWhatRunsAndLeavesWhatTheKernelHas() throws Exception {
        prepared.hang(DEVICES + VF0 + "/reset");
        Preparation stuck = prepared.preparer.prepare(prepared.device(VF0), prepared.recipe("vf", "reset = \"flr\""));
        Preparation running = prepared.preparer.prepare(
                prepared.device(VF1), prepared.recipe("vf", "command = [\"/bin/sleep\", \"1000\"]"));
        assertThat(stuck.await(SHORT)).isFalse();

        prepared.preparer.close();

        assertThatThrownBy(() -> running.await(PATIENCE)).hasMessageContaining("edgeplug is stopping");
        assertThat(stuck.await(Duration.ZERO)).isFalse();
    }

    /** An HCA is handed over with the node's default route on it, since RDMA leaves the interface to the node. */
    @Test
    void functionThatCarriesTheDefaultRouteIsNotReset() throws Exception {
        Path routes =
                Files.createDirectories(directory.resolve("node/proc/net")).resolve("route");
        Files.writeString(
                routes, "Iface\tDestination\tGateway\tFlags\nens1f0v0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\n");

        assertThatThrownBy(() -> prepared.prepare(VF0, "reset = \"flr\""))
                .hasMessageContaining("reset: the node uses it itself: it has the default route on ens1f0v0");
    }

    @Test
    void commandIsToldItsDeviceAndItsOutputIsTold() throws Exception {
        prepared.prepare(VF0, "command = [\"/bin/echo\", \"{id} {bdf} {pf_bdf} {pf} {vf} {{x}}\"]");

        assertThat(prepared.events)
                .contains(
                        new PrepareEvent.Output(prepared.device(VF0), VF0 + " " + VF0 + " 0000:3b:00.0 ens1f0 0 {x}"));
    }

    @Test
    void commandThatFailsIsToldWithItsLastLine() {
        assertThatThrownBy(() -> prepared.prepare(
                        VF0, "command = [\"/bin/sh\", \"-c\", \"echo one; echo no such card >&2; exit 4\"]"))
                .hasMessage("Device " + VF0 + " could not be prepared: command: /bin/sh: exit status 4: no such card.");
    }

    @Test
    void nameThatAPodHasChosenIsNoOptionOfACommand() throws Exception {
        Path net = prepared.node.root().resolve(PreparedNode.DEVICES + VF0 + "/net");
        Files.move(net.resolve("ens1f0v0"), net.resolve("-delete"));

        assertThatThrownBy(() -> prepared.prepare(VF0, "command = [\"/bin/echo\", \"{netdev}\"]"))
                .hasMessage("Device " + VF0 + " could not be prepared: command: "
                        + "\"{netdev}\" would be \"-delete\", which the program would take for an option.");
        prepared.prepare(VF0, "command = [\"/bin/echo\", \"--dev={netdev}\"]");
        assertThat(prepared.events).contains(new PrepareEvent.Output(prepared.device(VF0), "--dev=-delete"));
    }

    @Test
    void commandIsKilledAtItsDeadline() {
        assertThatThrownBy(() -> prepared.prepare(VF0, "command = [\"/bin/sleep\", \"1000\"]\ncommand_timeout = 1"))
                .hasMessage("Device " + VF0 + " could not be prepared: command: took longer than 1 s and was killed.");
    }

    @Test
    void settingsOfTheVfArePutBackThroughItsPf() throws Exception {
        Path arguments = directory.resolve("arguments");
        Path ip = Files.createDirectories(prepared.node.root().resolve("sbin")).resolve("ip");
        Files.writeString(ip, "#!/bin/sh\necho \"$*\" >> " + arguments + "\n");
        Files.setPosixFilePermissions(ip, PosixFilePermissions.fromString("rwxr-xr-x"));

        prepared.prepare(VF1, """
                reset = "rebind"
                vf = { mac = "02:00:00:00:00:07", vlan = 0, trust = false, spoof_check = true, max_tx_rate = 0, link_state = "auto" }
                """);
        prepared.prepare(VF1, "vf = { mac = \"random\" }");

        assertThat(Files.readAllLines(arguments).getFirst())
                .isEqualTo("link set dev ens1f0 vf 1 mac 02:00:00:00:00:07 vlan 0 max_tx_rate 0"
                        + " spoofchk on trust off state auto");
        assertThat(Files.readAllLines(arguments).getLast())
                .matches("link set dev ens1f0 vf 1 mac [0-9a-f][26ae](:[0-9a-f]{2}){5}");
        assertThat(prepared.node.acts()).containsExactly(VF1 + " unbound from iavf", VF1 + " bound to iavf");
    }
}
