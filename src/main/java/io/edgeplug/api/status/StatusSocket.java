package io.edgeplug.api.status;

import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Server;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.TimeUnit;

/** The socket on which the daemon reports its status to people, while this is open. */
public final class StatusSocket implements AutoCloseable {

    /** Its path from the root of the node. */
    public static final String PATH = "run/edgeplug/status.sock";

    /** The group whose members may ask besides root. The packages make it. */
    public static final String GROUP = "edgeplug";

    private final Monitor monitor;
    private final StatusBoard board;
    private final Runnable listener;
    private final UnixRpc rpc;
    private final Server server;

    /**
     * Begins to serve on an event loop of its own, so that no caller can delay the kubelet. A socket that nobody serves
     * any more, such as that of a killed daemon, is replaced.
     *
     * @param path in an existing directory that belongs to this process's user
     * @throws IOException if it cannot be served there, or another daemon serves it, such as one for another kubelet's
     *     directory
     */
    public StatusSocket(Path path, NodeView view, Monitor monitor, DaemonHistory history) throws IOException {
        if (UnixRpc.isListening(path)) {
            throw new IOException("another process serves it");
        }
        this.monitor = monitor;
        this.rpc = UnixRpc.openToGroup("status", GROUP);
        this.board = new StatusBoard(view, history, Clock.systemUTC());
        this.listener = board::wake;
        try {
            Files.deleteIfExists(path);
            this.server = rpc.serve(path, new StatusService(board));
        } catch (IOException e) {
            board.close();
            rpc.close();
            throw e;
        }
        monitor.publication().addListener(listener);
    }

    /** Makes it look for changes. Any thread may call it and does not wait. */
    public void wake() {
        board.wake();
    }

    @Override
    public void close() {
        monitor.publication().removeListener(listener);
        try {
            boolean ignored = server.shutdownNow().awaitTermination(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        board.close();
        rpc.close();
    }
}
