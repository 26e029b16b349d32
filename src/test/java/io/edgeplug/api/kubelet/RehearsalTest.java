package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.KubeletEvent;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.File;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class RehearsalTest {

    @TempDir
    private Path directory = Path.of("");

    @Test
    void rehearsalTellsNobodyAndLeavesNothing() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        List<String> before = leftovers();
        try (LogLines log = LogLines.open();
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir);
                UnixRpc rpc = UnixRpc.open()) {
            int lines = log.with("").size();

            assertThat(daemon.rehearsal(rpc).run()).isGreaterThanOrEqualTo(400);

            assertThat(log.with("")).hasSize(lines);
            assertThat(leftovers()).isEqualTo(before);
            assertThat(daemon.monitor.missing()).isEmpty();
        }
    }

    @Test
    void deviceThatWasRehearsedWithIsHeldByNobodyAndLeavesTheListWhenItGoes() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, directory.resolve("device-plugins"));
                UnixRpc rpc = UnixRpc.open()) {
            assertThat(daemon.rehearsal(rpc).run()).isGreaterThanOrEqualTo(400);
            assertThat(daemon.monitor.current().devices(TestDaemon.NODE0)).hasSize(2);

            // both, for which of them it asked is its own affair
            for (Device device : daemon.monitor.current().devices(TestDaemon.NODE0)) {
                daemon.node.pull(PciAddress.parse(device.id()).orElseThrow());
            }

            Seen.untilSo(
                    "no device is left",
                    () -> daemon.monitor.current().devices(TestDaemon.NODE0).isEmpty());
        }
    }

    @Test
    void kubeletThatComesDuringARehearsalIsRegisteredWithOnceForEachResource() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        List<KubeletEvent> events = new CopyOnWriteArrayList<>();
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            daemon.rehearse();
            try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, events::add)) {
                kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
            }
        }
        assertThat(events)
                .filteredOn(event -> event instanceof KubeletEvent.Registered)
                .hasSize(3);
    }

    /** As after a boot: it stays until the kubelet starts. */
    @Test
    void socketOfADeadKubeletDoesNotHoldTheRehearsal() throws Exception {
        Path kubeletDir = Files.createDirectory(directory.resolve("device-plugins"));
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(kubeletDir.resolve("kubelet.sock")));
        }
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            daemon.rehearse();
            daemon.awaitRehearsed();
        }
    }

    private static List<String> leftovers() {
        String[] names = new File(System.getProperty("java.io.tmpdir"))
                .list((parent, name) -> name.startsWith("edgeplug-rehearsal-"));
        return List.of(Objects.requireNonNull(names));
    }
}
