package io.edgeplug.api.kubelet;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Resources are served before there is a kubelet, so that nothing is left to do when it comes but to register. */
@Timeout(60)
final class ServingTest {

    @TempDir
    private Path directory = Path.of("");

    private Path kubeletDir = Path.of("");
    private Path kubeletSocket = Path.of("");

    @BeforeEach
    void setUp() throws IOException {
        kubeletDir = Files.createDirectory(directory.resolve("device-plugins"));
        kubeletSocket = kubeletDir.resolve("kubelet.sock");
    }

    @Test
    void resourcesAreServedBeforeThereIsAKubelet() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir);
                Closing closing = new Closing()) {
            // a socket has its name a moment before anyone listens
            Seen.untilSo(
                    "three sockets",
                    () -> sockets().stream()
                                    .filter(socket -> UnixRpc.isListening(kubeletDir.resolve(socket)))
                                    .count()
                            == 3);
            UnixRpc rpc = closing.add(UnixRpc.open());
            for (String socket : sockets()) {
                PluginClient client = closing.add(PluginClient.dial(rpc, kubeletDir.resolve(socket)));
                assertThat(client.options().getGetPreferredAllocationAvailable())
                        .isTrue();
            }
        }
    }

    @Test
    void whatOnlyHasTheNameOfASocketIsLeftAlone() throws Exception {
        Path own = Files.createDirectory(kubeletDir.resolve("edgeplug"));
        whileOddNamesAreIn(own, () -> {
            try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
                Seen.untilSo("three sockets", () -> sockets().size() == 3 + 2);
            }
        });
    }

    @Test
    void whatOnlyHasTheNameOfASocketIsLeftAloneInTheRegistry() throws Exception {
        Path registry = Files.createDirectory(directory.resolve("plugins_registry"));
        whileOddNamesAreIn(registry, () -> {
            try (TestDaemon daemon = TestDaemon.openInRegistry(directory, registry)) {
                Seen.untilSo("three sockets", () -> names(registry).size() == 3 + 2);
            }
        });
    }

    private void whileOddNamesAreIn(Path own, ThrowingRunnable does) throws Exception {
        Path inside = Files.createFile(
                Files.createDirectory(own.resolve("edgeplug-a.sock")).resolve("inside"));
        Path link = own.resolve("edgeplug-b.sock");
        Path others = directory.resolve("others.sock");
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            other.bind(UnixDomainSocketAddress.of(others));
            Files.createSymbolicLink(link, others);

            does.run();

            assertThat(inside).exists();
            assertThat(link).isSymbolicLink();
        }
    }

    private interface ThrowingRunnable {
        void run() throws Exception;
    }

    /** It deletes all sockets in its directory, and none below. */
    @Test
    void socketsOutliveKubelets() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            Seen.untilSo("three sockets", () -> sockets().size() == 3);
            List<String> served = sockets();
            for (int i = 0; i < 3; i++) {
                try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {})) {
                    kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
                    assertThat(sockets()).isEqualTo(served);
                }
            }
        }
    }

    @Test
    void socketsThatSomebodyDeletesAreServedAgainAlsoWithoutAKubelet() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            Seen.untilSo("three sockets", () -> sockets().size() == 3);
            List<String> deleted = sockets();

            for (String socket : deleted) {
                Files.delete(kubeletDir.resolve(socket));
            }

            Seen.untilSo(
                    "three other sockets",
                    () -> sockets().size() == 3 && sockets().stream().noneMatch(deleted::contains));
        }
    }

    @Test
    void nothingIsLeftInTheDirectoryWhenItEnds() throws Exception {
        try (TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            Seen.untilSo("three sockets", () -> sockets().size() == 3);
        }
        assertThat(kubeletDir).isEmptyDirectory();
    }

    @Test
    void allResourcesRegisterOverOneConnection() throws Exception {
        try (RoughKubelet kubelet = RoughKubelet.open(kubeletDir, RoughKubelet::follow);
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            kubelet.watches().awaitCount(3);

            assertThat(connectionsTo(kubeletSocket)).isEqualTo(1);
        }
    }

    /** It may have been killed, and the next one may be looking at the sockets in this very moment. */
    @Test
    void socketThatADeadKubeletHasLeftIsWaitedAtWithoutAWarningAndWithoutAnotherSocketOfOurs() throws Exception {
        try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            dead.bind(UnixDomainSocketAddress.of(kubeletSocket));
        }
        try (LogLines log = LogLines.open();
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            Seen.untilSo("three sockets", () -> sockets().size() == 3);
            List<String> served = sockets();

            assertThat(log.await("nobody listens"))
                    .containsExactly("waiting for the kubelet: nobody listens on " + kubeletSocket);
            assertThat(sockets()).isEqualTo(served);
            assertThat(log.warnings()).isEmpty();
        }
    }

    @Test
    void kubeletThatGoesAndComesIsNothingToWarnOf() throws Exception {
        try (LogLines log = LogLines.open();
                TestDaemon daemon = TestDaemon.open(directory, kubeletDir)) {
            for (int i = 0; i < 5; i++) {
                try (LocalKubelet kubelet = LocalKubelet.open(kubeletDir, event -> {})) {
                    kubelet.await(states -> TestDaemon.allHave(2, 3, states), PATIENCE);
                }
            }
            assertThat(log.warnings()).isEmpty();
        }
    }

    /** Before, sockets were made anew each time, with pauses that grew from kubelet to kubelet. */
    @Test
    void kubeletThatFindsSocketsByItselfFindsTheSameOnesWhenItIsStartedAgain() throws Exception {
        Path registry = Files.createDirectory(directory.resolve("plugins_registry"));
        try (TestDaemon daemon = TestDaemon.openInRegistry(directory, registry)) {
            Seen.untilSo("three sockets", () -> names(registry).size() == 3);
            List<String> served = names(registry);
            for (int i = 0; i < 3; i++) {
                KubeletProcess.start(kubeletDir, registry, 3, 2).close();
            }

            assertThat(names(registry)).isEqualTo(served);
        }
    }

    private List<String> sockets() {
        Path own = kubeletDir.resolve("edgeplug");
        return Files.exists(own)
                ? names(own).stream().map(name -> "edgeplug/" + name).toList()
                : List.of();
    }

    private static List<String> names(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Those that the kernel has, each of which bears the name of the socket that it was accepted on; see proc_net(5). */
    private static long connectionsTo(Path socket) throws IOException {
        try (Stream<String> lines = Files.lines(Path.of("/proc/net/unix"))) {
            return lines.filter(line -> line.endsWith(" " + socket) && line.contains(" 0001 03 "))
                    .count();
        }
    }
}
