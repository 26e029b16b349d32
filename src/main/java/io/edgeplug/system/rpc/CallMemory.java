package io.edgeplug.system.rpc;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The memory that all calls to the servers of one loop may take together.
 *
 * <p>A call takes some for each piece of its request, before the request is complete, and more for the decoded request.
 * It returns all of it at once: when its answer was read or its caller has gone, and its service has answered. A service
 * may keep a request longer than its caller waits.
 */
final class CallMemory extends ServerStreamTracer.Factory {

    /** What gRPC keeps of a DATA frame until the message is complete, beside the bytes. */
    private static final int FRAME = 128;

    /** A call that takes no more than an Allocate of some hundred devices may use the reserve. */
    private static final int SMALL = 64 << 10;

    private static final int RESERVE = 1 << 20;

    /**
     * How many calls of one method may be answered at a time. A call that was reset does not count among those of its
     * connection, but its service may wait for hardware on a thread of its own, with some KB of gRPC's. A kubelet has a call
     * for each container that starts.
     */
    private static final int MOST_ANSWERS = 256;

    private static final Context.Key<Call> CALL = Context.key("memory");

    private final int most;

    // Guarded by this.
    private final IdentityHashMap<RpcCaller, Integer> byConnection = new IdentityHashMap<>();

    private final Map<String, Integer> answersByMethod = new HashMap<>();

    private int all;

    /** Calls take {@code most} bytes together, and small ones a bit more. */
    CallMemory(int most) {
        this.most = most;
    }

    /** The call that is being accepted. */
    static Call ofThisCall() {
        return CALL.get();
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
        return new Call(method);
    }

    /** What one call has taken. */
    final class Call extends ServerStreamTracer {

        private final String method;

        // Guarded by the memory. The caller is null before the call is known to have a service.
        private @Nullable RpcCaller caller;
        private int taken;
        private boolean isAnswering;
        private boolean isClosed;

        private Call(String method) {
            this.method = method;
        }

        @Override
        public Context filterContext(Context context) {
            return context.withValue(CALL, this);
        }

        @Override
        public void serverCallStarted(ServerCallInfo<?, ?> call) {
            synchronized (CallMemory.this) {
                caller = call.getAttributes().get(PeerCheck.PEER);
            }
        }

        /** Is called for each piece of a request. The exception ends the call, and gRPC drops the pieces. */
        @Override
        public void inboundWireSize(long bytes) {
            if (!take(Math.toIntExact(bytes) + FRAME)) {
                throw Status.RESOURCE_EXHAUSTED
                        .withDescription("other requests are being received or answered")
                        .asRuntimeException();
            }
        }

        /** Whether there is room for so many more bytes, which the call then has. */
        boolean take(int bytes) {
            Optional<RpcCaller> leaving = Optional.empty();
            boolean isThere;
            synchronized (CallMemory.this) {
                RpcCaller one = caller;
                if (one == null || isClosed) {
                    return true;
                }
                boolean isSmall = taken + bytes <= SMALL;
                isThere = all + bytes <= (isSmall ? most + RESERVE : most);
                if (isThere) {
                    taken += bytes;
                    add(one, bytes);
                } else if (isSmall) {
                    // Small calls must go on. So whoever has most has to begin again.
                    leaving = byConnection.entrySet().stream()
                            .max(Comparator.comparingInt(Map.Entry::getValue))
                            .map(Map.Entry::getKey);
                }
            }
            leaving.ifPresent(RpcCaller::hangUp);
            return isThere;
        }

        /** Notes that a service has the request from now on. Returns false if it has too many. */
        boolean beginAnswer() {
            synchronized (CallMemory.this) {
                isAnswering = answersByMethod.getOrDefault(method, 0) < MOST_ANSWERS;
                if (isAnswering) {
                    Integer ignored = answersByMethod.merge(method, 1, Integer::sum);
                }
                return isAnswering;
            }
        }

        /** Notes that the service is done with the request. May be called again. */
        void endAnswer() {
            synchronized (CallMemory.this) {
                if (isAnswering) {
                    Integer ignored = answersByMethod.merge(method, -1, Integer::sum);
                }
                isAnswering = false;
                giveBackIfOver();
            }
        }

        @Override
        public void streamClosed(Status status) {
            synchronized (CallMemory.this) {
                isClosed = true;
                giveBackIfOver();
            }
        }

        private void giveBackIfOver() {
            RpcCaller one = caller;
            if (isClosed && !isAnswering && one != null) {
                add(one, -taken);
                taken = 0;
            }
        }
    }

    /** Runs under the lock. */
    private void add(RpcCaller connection, int bytes) {
        all += bytes;
        byConnection.compute(connection, (key, before) -> {
            int now = (before == null ? 0 : before) + bytes;
            return now == 0 ? null : now;
        });
    }
}
