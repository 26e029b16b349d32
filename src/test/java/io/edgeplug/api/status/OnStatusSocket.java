package io.edgeplug.api.status;

import static io.edgeplug.api.kubelet.TestDaemon.NODE0;
import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.api.kubelet.TestDaemon;
import io.edgeplug.lab.localkubelet.KubeletOptions;
import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.NodeStatusGrpc;
import io.edgeplug.proto.status.NodeStatusGrpc.NodeStatusBlockingStub;
import io.edgeplug.proto.status.WatchRequest;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.ManagedChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A daemon on the demo node that serves its status, with a kubelet. */
abstract class OnStatusSocket {

    @TempDir
    Path directory = Path.of("");

    /** Held, since a logger that nobody holds forgets its level; the tests' own is silent. */
    private static final Logger OURS = Logger.getLogger("io.edgeplug");

    final Closing closing = new Closing();
    TestDaemon daemon;
    LocalKubelet kubelet;
    DaemonHistory history;
    StatusSocket socket;
    UnixRpc rpc;
    Path path = Path.of("");

    @BeforeEach
    final void open() throws Exception {
        OURS.setLevel(Level.INFO);
        OURS.setUseParentHandlers(false);
        Path kubeletDir = directory.resolve("device-plugins");
        kubelet = closing.add(LocalKubelet.open(kubeletDir, KubeletOptions.DEFAULTS.withRoot(directory), event -> {}));
        daemon = closing.add(TestDaemon.open(directory, kubeletDir));
        path = directory.resolve("s.sock");
        // what a daemon that was killed has left
        Files.writeString(path, "");
        history = closing.add(new DaemonHistory("edgeplug 1", Instant.now()));
        socket = closing.add(new StatusSocket(path, daemon.view(), daemon.monitor, history));
        rpc = closing.add(UnixRpc.open());
        kubelet.await(NODE0, state -> state.allocatable() == 2, PATIENCE);
    }

    @AfterEach
    final void close() throws Exception {
        closing.close();
        OURS.setLevel(null);
        OURS.setUseParentHandlers(true);
    }

    static Iterator<Node> watch(ManagedChannel channel) {
        return NodeStatusGrpc.newBlockingStub(channel)
                .withDeadlineAfter(PATIENCE.toSeconds() * 3, TimeUnit.SECONDS)
                .watch(WatchRequest.getDefaultInstance());
    }

    final NodeStatusBlockingStub stub() {
        ManagedChannel channel = rpc.dial(path);
        closing.add(channel::shutdownNow);
        return NodeStatusGrpc.newBlockingStub(channel).withDeadlineAfter(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
}
