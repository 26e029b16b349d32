package io.edgeplug.lab.localkubelet;

import io.grpc.Status;
import io.grpc.stub.StreamObserver;

/**
 * The rate limit for calls of pod-resources by all clients of the node together; see
 * pkg/kubelet/apis/grpc/ratelimit.go.
 */
final class CallRate {

    private static final double PER_SECOND = 100;
    private static final double BURST = 10;
    private static final double NANOS = 1e9;

    private double left = BURST;
    private long last = System.nanoTime();

    private synchronized boolean allows() {
        long now = System.nanoTime();
        left = Math.min(BURST, left + (now - last) / NANOS * PER_SECOND);
        last = now;
        if (left < 1) {
            return false;
        }
        left--;
        return true;
    }

    /** Whether a call may be answered. If not, it has been refused. */
    boolean allows(StreamObserver<?> caller) {
        boolean isAllowed = allows();
        if (!isAllowed) {
            caller.onError(Status.RESOURCE_EXHAUSTED
                    .withDescription("rejected by rate limit")
                    .asRuntimeException());
        }
        return isAllowed;
    }
}
