package io.edgeplug.api.status;

import io.edgeplug.api.status.StatusBoard.Posted;
import io.edgeplug.proto.status.GetRequest;
import io.edgeplug.proto.status.Node;
import io.edgeplug.proto.status.NodeStatusGrpc;
import io.edgeplug.proto.status.WatchRequest;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.concurrent.Semaphore;

/**
 * Answers the calls of {@code edgeplug status}. It is called on the event loop, where nothing may wait; each answer has
 * a virtual thread.
 */
final class StatusService extends NodeStatusGrpc.NodeStatusImplBase {

    private static final Status BUG = Status.INTERNAL.withDescription("has a bug, see the log of edgeplug");

    private final StatusBoard board;
    private final Askers askers = new Askers();

    StatusService(StatusBoard board) {
        this.board = board;
    }

    @Override
    public void get(GetRequest request, StreamObserver<Node> answer) {
        ServerCallStreamObserver<Node> caller = (ServerCallStreamObserver<Node>) answer;
        Askers.Asker asker = new Askers.Asker(UnixRpc.caller().orElseThrow());
        // One of the two runs: the answer is in memory until it is read, or until the caller has gone.
        caller.setOnCloseHandler(() -> askers.leave(asker));
        caller.setOnCancelHandler(() -> askers.leave(asker));
        if (!askers.enter(asker)) {
            caller.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription("is asked by " + Askers.MAX + " others at the moment, try again")
                    .asRuntimeException());
            return;
        }
        Front.STATUS.virtual("asker").start(() -> {
            boolean isAnswered = Front.STATUS.attempt(() -> {
                caller.onNext(board.look());
                caller.onCompleted();
                askers.noteAnswer(asker);
            });
            if (!isAnswered) {
                caller.onError(BUG.asRuntimeException());
            }
        });
    }

    @Override
    public void watch(WatchRequest request, StreamObserver<Node> answer) {
        if (!board.watch()) {
            answer.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription("is watched " + StatusBoard.MAX_WATCHERS + " times already")
                    .asRuntimeException());
            return;
        }
        Watcher watcher = new Watcher((ServerCallStreamObserver<Node>) answer);
        watcher.start();
    }

    /** One watcher. A slow one misses messages that newer ones have replaced. */
    private final class Watcher {

        private final ServerCallStreamObserver<Node> answer;
        private final Semaphore readiness = new Semaphore(0);
        private final Thread writer = Front.STATUS.virtual("watcher").unstarted(this::write);

        Watcher(ServerCallStreamObserver<Node> answer) {
            this.answer = answer;
        }

        void start() {
            answer.setOnReadyHandler(readiness::release);
            answer.setOnCancelHandler(writer::interrupt);
            writer.start();
        }

        private void write() {
            try {
                if (!Front.STATUS.attempt(this::writeAll)) {
                    answer.onError(BUG.asRuntimeException());
                }
            } catch (InterruptedException e) {
                // It has gone, or the daemon ends.
                Thread.currentThread().interrupt();
            } finally {
                board.unwatch();
            }
        }

        private void writeAll() throws InterruptedException {
            Node ignored = board.look();
            long number = -1;
            while (!answer.isCancelled()) {
                Posted posted = board.awaitNewerThan(number);
                while (!answer.isReady()) {
                    readiness.acquire();
                    posted = board.newest();
                }
                answer.onNext(posted.node());
                number = posted.number();
            }
        }
    }
}
