package io.edgeplug.api.dra;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.TestDaemon;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.rpc.UnixRpc;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The thread that makes the driver's sockets. */
@Timeout(60)
final class DraSocketsTest {

    @TempDir
    private Path directory = Path.of("");

    /** A server that nobody can start any more stands for any bug. */
    @Test
    void bugWhileSocketsAreMadeIsCountedAndEndsNothingElse() throws Exception {
        Path plugins = Files.createDirectories(directory.resolve("plugins"));
        Path registry = Files.createDirectories(directory.resolve("plugins_registry"));
        UnixRpc rpc = UnixRpc.open();
        rpc.close();
        long before = bugs();

        DraSockets sockets = new DraSockets(
                rpc,
                "edgeplug.io",
                plugins.resolve("edgeplug.io/dra.sock"),
                registry.resolve("edgeplug.io-reg.sock"),
                List.of(),
                () -> {});

        Deadline patience = Deadline.in(TestDaemon.PATIENCE);
        while (bugs() == before) {
            assertThat(patience.isOver()).isFalse();
            Thread.onSpinWait();
        }
        sockets.close();
        assertThat(sockets.isRegistered()).isFalse();
    }

    private static long bugs() {
        return Front.bugs().stream()
                .filter(one -> one.front() == Front.DRA)
                .mapToLong(Front.Bugs::count)
                .sum();
    }
}
