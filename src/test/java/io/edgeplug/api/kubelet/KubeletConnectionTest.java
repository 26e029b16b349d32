package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.rpc.UnixRpc;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class KubeletConnectionTest {

    private static final Duration LIMIT = Duration.ofMillis(50);

    @TempDir
    private Path path = Path.of("");

    /** Else its thread would look again and again without end, once the kubelet has had its time. */
    @Test
    void nextLookAtADeadKubeletsSocketIsALittleLaterHoweverLongItIsDead() throws Exception {
        // as a killed process leaves it
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(path.resolve("kubelet.sock")));
        }
        try (UnixRpc rpc = UnixRpc.open();
                PluginDirectory directory = PluginDirectory.open(path, false);
                KubeletConnection connection = new KubeletConnection(rpc, directory, () -> {}, LIMIT)) {
            Deadline dead = Deadline.in(LIMIT.multipliedBy(10));
            Seen.untilSo("a kubelet that lived would have had its time", () -> {
                connection.look();
                return dead.isOver();
            });

            int rests = 0;
            for (int look = 0; look < 100; look++) {
                connection.look();
                rests += connection.pause().isPositive() ? 1 : 0;
            }

            assertThat(rests).isGreaterThan(90);
        }
    }
}
