package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Only the kubelet may call: the process that listens on kubelet.sock. */
@Timeout(60)
final class CallersTest {

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private Path kubeletDir = Path.of("");

    @BeforeEach
    void setUp() {
        kubeletDir = directory.resolve("device-plugins");
    }

    @Test
    void otherProcessOfTheSameUserIsRefusedAndToldOf() throws Exception {
        LogLines log = closing.add(LogLines.open());
        LocalKubelet kubelet = closing.add(LocalKubelet.open(kubeletDir, event -> {}));
        closing.add(DaemonProcess.start(directory, kubeletDir, TestDaemon.CLASSES));
        kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);

        assertThat(Stranger.isAnswered(socket(kubeletDir.resolve("edgeplug")))).isFalse();

        kubelet.admit(PodSpec.of("pod", NODE0, 1));
        assertThat(log.warnings()).isEmpty();
        assertThat(Files.readString(directory.resolve("daemon.log")))
                .contains("only the process that listens on " + kubeletDir.resolve("kubelet.sock") + " may call");
    }

    @Test
    void otherProcessIsRefusedAlsoWhereThereIsNoKubelet() throws Exception {
        Files.createDirectory(kubeletDir);
        closing.add(DaemonProcess.start(directory, kubeletDir, TestDaemon.CLASSES));
        Seen.untilSo("a socket", () -> Files.exists(kubeletDir.resolve("edgeplug")) && hasSocket());

        assertThat(Stranger.isAnswered(socket(kubeletDir.resolve("edgeplug")))).isFalse();
    }

    @Test
    void otherProcessIsRefusedInTheRegistryWhereTheKubeletIsNot() throws Exception {
        Path registry = Files.createDirectory(directory.resolve("plugins_registry"));
        closing.add(TestDaemon.openInRegistry(directory, registry));
        closing.add(KubeletProcess.start(kubeletDir, registry, 3, 2));

        assertThat(Stranger.isAnswered(socket(registry))).isFalse();
    }

    private boolean hasSocket() {
        try {
            return Files.exists(socket(kubeletDir.resolve("edgeplug")));
        } catch (IOException e) {
            return false;
        }
    }

    private static Path socket(Path directory) throws IOException {
        try (Stream<Path> sockets = Files.list(directory)) {
            return sockets.filter(file -> file.toString().endsWith(".sock"))
                    .findFirst()
                    .orElseThrow(() -> new IOException("no socket in " + directory));
        }
    }
}
