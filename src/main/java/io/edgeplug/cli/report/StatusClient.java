package io.edgeplug.cli.report;

import io.edgeplug.api.status.StatusSocket;
import io.edgeplug.proto.status.GetRequest;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.NodeStatusGrpc;
import io.edgeplug.proto.status.WatchRequest;
import io.edgeplug.system.kernel.KernelReason;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Asks the daemon of a node for its status. */
final class StatusClient implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 10;

    /** A node with 256 resources has a tenth of that. */
    private static final int MAX_BYTES = 1 << 20;

    private final Path socket;
    private final UnixRpc rpc;
    private final ManagedChannel channel;
    private boolean isAnswered;

    private StatusClient(Path socket, UnixRpc rpc, ManagedChannel channel) {
        this.socket = socket;
        this.rpc = rpc;
        this.channel = channel;
    }

    /** There is no daemon. The message says how this was found. */
    static final class NotRunningException extends IOException {

        private static final long serialVersionUID = 1;

        NotRunningException(String message) {
            super(message);
        }
    }

    /** Connects with the first question. */
    static StatusClient open(Path socket) throws IOException {
        if (!Files.exists(socket)) {
            throw new NotRunningException("there is no " + socket);
        }
        UnixRpc rpc = UnixRpc.open();
        return new StatusClient(socket, rpc, rpc.dial(socket));
    }

    /**
     * The present status.
     *
     * @throws IOException if the daemon does not answer; the message is for a person
     */
    Node get() throws IOException {
        try {
            return NodeStatusGrpc.newBlockingStub(channel)
                    .withMaxInboundMessageSize(MAX_BYTES)
                    .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
                    .get(GetRequest.getDefaultInstance());
        } catch (StatusRuntimeException e) {
            throw reason(e);
        }
    }

    /** Reports the status now and after each change, and returns when the daemon ends. */
    void watch(Consumer<Node> told) throws IOException {
        try {
            Iterator<Node> answers = NodeStatusGrpc.newBlockingStub(channel)
                    .withMaxInboundMessageSize(MAX_BYTES)
                    .watch(WatchRequest.getDefaultInstance());
            while (answers.hasNext()) {
                Node node = answers.next();
                isAnswered = true;
                told.accept(node);
            }
        } catch (StatusRuntimeException e) {
            if (!isAnswered || e.getStatus().getCode() != Status.Code.UNAVAILABLE) {
                throw reason(e);
            }
        }
    }

    private IOException reason(StatusRuntimeException e) {
        Status status = e.getStatus();
        String said = String.valueOf(status.getDescription());
        return switch (status.getCode()) {
            case UNAVAILABLE ->
                // A running daemon that refuses a caller closes the connection.
                KernelReason.isNobodyThere(status.getCause())
                        ? new NotRunningException("nobody serves " + socket)
                        : new IOException(socket + ": only root and members of the group " + StatusSocket.GROUP
                                + " may ask; try sudo, or have root run usermod -aG " + StatusSocket.GROUP
                                + " and your name, and log in again");
            case DEADLINE_EXCEEDED ->
                new IOException(
                        socket + ": no answer within " + PATIENCE_SECONDS + " s; see systemctl status edgeplug");
            default -> new IOException(socket + ": " + said, e);
        };
    }

    @Override
    public void close() {
        channel.shutdownNow();
        rpc.close();
    }
}
