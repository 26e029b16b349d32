package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What an administrator reads who waits for the kubelet too. */
@Timeout(60)
final class KubeletAbsenceTest {

    @TempDir
    private Path root = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    private Path directory() {
        return root.resolve("kubelet/device-plugins");
    }

    private String reason() throws IOException {
        try (PluginDirectory watched = PluginDirectory.open(directory(), false)) {
            return KubeletAbsence.reason(watched);
        }
    }

    @Test
    void firstMissingNameIsToldWithWhatIsBesideIt() throws Exception {
        assertThat(reason()).startsWith("there is no " + root.resolve("kubelet") + "; nothing is beside it");

        Files.createDirectories(root.resolve("kubelet/plugins"));
        Files.createDirectory(root.resolve("kubelet/pods"));
        assertThat(reason()).startsWith("there is no " + directory() + "; beside it: plugins, pods");

        Files.createDirectories(directory());
        assertThat(reason())
                .startsWith("there is no " + directory().resolve("kubelet.sock") + "; nothing is beside it");
    }

    @Test
    void namesOfACrowdedDirectoryAndOfEdgeplugItselfAreNotTold() throws Exception {
        for (int i = 0; i < 5; i++) {
            Files.createDirectories(root.resolve("kubelet/other-" + i));
        }
        assertThat(reason()).startsWith("there is no " + directory()).doesNotContain("other-");

        Files.createDirectories(directory().resolve("edgeplug"));
        assertThat(reason())
                .startsWith("there is no " + directory().resolve("kubelet.sock") + "; nothing is beside it");
    }

    @Test
    void whatIsInPlaceOfTheSocketIsTold() throws Exception {
        Files.createDirectories(directory());
        Path socket = Files.createFile(directory().resolve("kubelet.sock"));
        assertThat(reason()).isEqualTo(socket + ": is a file, not a socket");

        Files.delete(socket);
        Files.createDirectory(socket);
        assertThat(reason()).isEqualTo(socket + ": is a directory, not a socket");

        Files.delete(socket);
        try (ServerSocketChannel other = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            ServerSocketChannel ignored = other.bind(UnixDomainSocketAddress.of(socket));
            assertThat(reason()).isEqualTo(socket + ": something listens there, and does not answer as a kubelet does");
        }
        assertThat(reason()).isEqualTo("nobody listens on " + socket);
    }

    @Test
    void kubeletThatComesEndsTheWait() throws Exception {
        TestDaemon daemon = closing.add(TestDaemon.open(root, directory()));
        assertThat(daemon.view().read().kubelet().absence()).isPresent();

        LocalKubelet kubelet = closing.add(LocalKubelet.open(directory(), event -> {}));
        var ignored = kubelet.await(TestDaemon.NODE0, state -> state.allocatable() == 2, TestDaemon.PATIENCE);

        assertThat(daemon.view().read().kubelet().absence()).isEmpty();
    }
}
