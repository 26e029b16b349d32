package io.edgeplug.node.pods;

import static io.edgeplug.node.pods.PodResourcesAnswers.VF;
import static io.edgeplug.node.pods.PodResourcesAnswers.answer;
import static io.edgeplug.node.pods.PodResourcesAnswers.answering;
import static io.edgeplug.node.pods.PodResourcesAnswers.list;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Counts;
import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.proto.podresources.PodResourcesListerGrpc;
import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.rpc.OtherUser;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Server;
import io.grpc.Status;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a daemon that asks a kubelet which has no pod-resources, or a server that is no kubelet. */
@Timeout(120)
final class PodSocketsTest {

    /** For a socket of which nobody answers. The others answer at once, but on a busy machine not soon. */
    private static final Duration SOON = Duration.ofMillis(300);

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @TempDir
    private Path root = Path.of("");

    @AutoClose
    private final UnixRpc rpc;

    PodSocketsTest() throws IOException {
        rpc = UnixRpc.open();
    }

    private Path socket() throws IOException {
        return Files.createDirectories(root.resolve("pod-resources")).resolve("kubelet.sock");
    }

    /** Accepts, sends these bytes if there are any, and says nothing more. */
    private ServerSocketChannel serveBytes(byte[] bytes, List<SocketChannel> accepted) throws IOException {
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket()));
        Thread.startVirtualThread(() -> {
            try {
                while (true) {
                    SocketChannel client = server.accept();
                    accepted.add(client);
                    client.write(ByteBuffer.wrap(bytes));
                }
            } catch (IOException e) {
                return;
            }
        });
        return server;
    }

    /** Asks twice, and expects one line of log. */
    private String complaint() throws Exception {
        return complaint(rpc, PATIENCE);
    }

    private String complaint(UnixRpc caller, Duration patience) throws Exception {
        try (LogLines log = LogLines.open();
                PodListing listing = new PodListing(caller, root, VF.resource()::equals, patience, () -> {})) {
            assertThat(listing.fetch()).isEmpty();
            assertThat(listing.fetch()).isEmpty();
            assertThat(log.with("pods are known by their UIDs only")).hasSize(1);
            return log.with("").getFirst().replace(root.toString(), "ROOT");
        }
    }

    @Test
    void missingSocketIsToldOnce() throws Exception {
        int before = Counts.descriptors();
        assertThat(complaint())
                .isEqualTo("ROOT/pod-resources/kubelet.sock: no such file; " + "pods are known by their UIDs only");
        assertThat(Counts.descriptors()).isLessThanOrEqualTo(before);
    }

    @Test
    void socketOfADeadKubeletIsToldOnce() throws Exception {
        // Nobody accepts: a thread in accept would keep the socket open a little longer than the channel.
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            assertThat(server.bind(UnixDomainSocketAddress.of(socket())).isOpen())
                    .isTrue();
        }
        assertThat(complaint()).contains("kubelet.sock: cannot connect: Connection refused; ");
    }

    @Test
    @NeedsRoot("acts as another user")
    void socketThatThisProcessMayNotUseIsToldOnce() throws Exception {
        // has all classes loaded, which the other user may not read
        assertThat(complaint()).contains("no such file");
        Server server = rpc.serve(socket(), answering(caller -> answer(caller, list(1, 5))));
        allowOthers("rwxr-xr-x");
        Files.setPosixFilePermissions(socket(), PosixFilePermissions.fromString("rwx------"));
        try {
            assertThat(OtherUser.call(() -> {
                        try (UnixRpc unprivileged = UnixRpc.open()) {
                            return complaint(unprivileged, PATIENCE);
                        }
                    }))
                    .contains("cannot connect: Permission denied; ");
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    @Test
    @NeedsRoot("acts as another user")
    void serverOfAnotherUserIsNotAsked() throws Exception {
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(socket());
        allowOthers("rwxrwxrwx");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            ServerSocketChannel bound = OtherUser.call(() -> server.bind(address));
            assertThat(bound.isOpen()).isTrue();
            assertThat(complaint()).contains("belongs to a process of uid " + OtherUser.UID + ", not of root");
        }
    }

    private void allowOthers(String permissions) throws IOException {
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(root.resolve("pod-resources"), PosixFilePermissions.fromString(permissions));
    }

    @Test
    void garbageIsToldOnce() throws Exception {
        List<SocketChannel> accepted = Collections.synchronizedList(new ArrayList<>());
        try (ServerSocketChannel ignored =
                serveBytes("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII), accepted)) {
            assertThat(complaint()).contains("hung up without an answer");
            for (SocketChannel one : accepted) {
                // ends only if the client has closed its end
                ByteBuffer any = ByteBuffer.allocate(1 << 16);
                while (one.read(any.clear()) >= 0) {}
                one.close();
            }
        }
    }

    @Test
    void serverThatAcceptsAndNeverAnswersIsToldOnce() throws Exception {
        List<SocketChannel> accepted = Collections.synchronizedList(new ArrayList<>());
        try (ServerSocketChannel ignored = serveBytes(new byte[0], accepted)) {
            assertThat(complaint(rpc, SOON)).contains("does not answer in time");
            for (SocketChannel one : accepted) {
                ByteBuffer any = ByteBuffer.allocate(1 << 16);
                while (one.read(any.clear()) >= 0) {}
                one.close();
            }
        }
    }

    @Test
    void refusalIsToldOnceWithItsReason() throws Exception {
        Server server = rpc.serve(
                socket(),
                answering(caller -> caller.onError(Status.RESOURCE_EXHAUSTED
                        .withDescription("rejected by rate limit")
                        .asRuntimeException())));
        try {
            assertThat(complaint()).contains("RESOURCE_EXHAUSTED: rejected by rate limit");
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }

    @Test
    void kubeletThatHasNoSuchMethodIsToldOnce() throws Exception {
        Server server = rpc.serve(socket(), new PodResourcesListerGrpc.PodResourcesListerImplBase() {});
        try {
            assertThat(complaint()).contains("UNIMPLEMENTED");
        } finally {
            server.shutdownNow().awaitTermination();
        }
    }
}
