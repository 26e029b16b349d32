package io.edgeplug.system.rpc;

import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import java.util.concurrent.RejectedExecutionException;

/**
 * Drops answers that come from other threads after the event loop has ended, because nobody can receive them. netty
 * would throw an exception at the thread that answers.
 */
final class LateAnswers implements ServerInterceptor {

    @Override
    public <Q, A> ServerCall.Listener<Q> interceptCall(
            ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
        return next.startCall(new Dropping<>(call), headers);
    }

    private static final class Dropping<Q, A> extends SimpleForwardingServerCall<Q, A> {

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

        private static void unlessLate(Runnable answering) {
            try {
                answering.run();
            } catch (RejectedExecutionException e) {
                // Only a loop that has ended throws this.
            }
        }
    }
}
