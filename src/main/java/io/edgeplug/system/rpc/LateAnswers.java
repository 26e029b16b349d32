package io.edgeplug.system.rpc;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.netty.util.internal.OutOfDirectMemoryError;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;

/**
 * Drops answers that nobody can receive: the event loop has ended, or the memory for buffers is used up by answers that
 * nobody reads. netty would throw an exception at the thread that answers, which would end the daemon.
 */
final class LateAnswers implements ServerInterceptor {

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        return next.startCall(new Dropping<>(call), headers);
    }

    private static final class Dropping<Q, A> extends SimpleForwardingServerCall<Q, A> {

        private volatile boolean isOver;

        Dropping(ServerCall<Q, A> call) {
            super(call);
        }

        @Override
        public void sendHeaders(Metadata headers) {
            unlessLate(() -> super.sendHeaders(headers));
        }

        @Override
        public void sendMessage(A message) {
            unlessLate(() -> super.sendMessage(message));
        }

        @Override
        public void close(Status status, Metadata trailers) {
            unlessLate(() -> super.close(status, trailers));
        }

        private void unlessLate(Runnable answering) {
            if (isOver) {
                return;
            }
            try {
                answering.run();
            } catch (RejectedExecutionException e) {
                // Only a loop that has ended throws this.
            } catch (OutOfDirectMemoryError e) {
                // gRPC has closed the call, and would complain about what comes after. Its listener learns of the end
                // when the connection is closed.
                isOver = true;
                Optional.ofNullable(getAttributes().get(PeerCheck.PEER)).ifPresent(RpcCaller::hangUp);
            }
        }
    }
}
