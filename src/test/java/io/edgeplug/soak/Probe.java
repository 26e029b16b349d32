package io.edgeplug.soak;

import io.edgeplug.proto.v1beta1.AllocateRequest;
import io.edgeplug.proto.v1beta1.ContainerAllocateRequest;
import io.edgeplug.proto.v1beta1.DevicePluginGrpc;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A caller that nobody attacks: asks for a device all the time. Notes how long the longest answer took, and how large
 * the daemon has been meanwhile.
 */
final class Probe implements AutoCloseable {

    private static final AllocateRequest REQUEST = AllocateRequest.newBuilder()
            .addContainerRequests(ContainerAllocateRequest.newBuilder().addDevicesIds("p0"))
            .build();

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long DEADLINE_SECONDS = 20;

    /** How often in a row a call may find the socket gone, until another is there: for about a second. */
    private static final int CUT_OFF_AT_MOST = 50;

    private final UnixRpc rpc;
    private final Socket socket;
    private final Target target;
    private final Thread caller;
    private final Thread clock;

    /** How long this machine kept a thread waiting that wanted to wake up: no daemon is to blame for that. */
    private final AtomicLong stalledNanos = new AtomicLong();

    private volatile boolean closed;
    private long longest;
    private long began;
    private long stalledBefore;
    private int threads;
    private long residentKiB;
    private Optional<String> refused = Optional.empty();

    /** Where the socket is now: one that was refused by a kubelet may be followed by another. */
    interface Socket {
        Path path() throws IOException;
    }

    private Probe(UnixRpc rpc, Socket socket, Target target) {
        this.rpc = rpc;
        this.socket = socket;
        this.target = target;
        this.caller = Thread.ofPlatform().name("probe").daemon().unstarted(this::call);
        this.clock = Thread.ofPlatform().name("stalls").daemon().unstarted(this::measureStalls);
    }

    static Probe start(UnixRpc rpc, Socket socket, Target target) {
        Probe probe = new Probe(rpc, socket, target);
        probe.clock.start();
        probe.caller.start();
        return probe;
    }

    private void measureStalls() {
        for (int i = 0; !closed; i++) {
            if (i % 10 == 0) {
                measureTarget();
            }
            long before = System.nanoTime();
            LockSupport.parkNanos(PAUSE_NANOS);
            long late = System.nanoTime() - before - PAUSE_NANOS;
            if (late > PAUSE_NANOS) {
                stalledNanos.addAndGet(late);
            }
        }
    }

    private void measureTarget() {
        try {
            Optional<Target.Size> size = target.size();
            synchronized (this) {
                size.ifPresent(now -> {
                    threads = Math.max(threads, now.threads());
                    residentKiB = Math.max(residentKiB, now.residentKiB());
                });
            }
        } catch (IOException e) {
            // it has just ended
        }
    }

    private void call() {
        Optional<ManagedChannel> channel = Optional.empty();
        int cutOff = 0;
        while (!closed) {
            begin();
            Optional<String> problem = Optional.empty();
            try {
                ManagedChannel used = channel.isPresent() ? channel.orElseThrow() : rpc.dial(socket.path());
                channel = Optional.of(used);
                var ignored = DevicePluginGrpc.newBlockingStub(used)
                        .withDeadlineAfter(DEADLINE_SECONDS, TimeUnit.SECONDS)
                        .allocate(REQUEST);
                cutOff = 0;
            } catch (StatusRuntimeException e) {
                problem = Optional.of(String.valueOf(e.getStatus()));
                // a kubelet that knows the first version only is served that, for as long as it is there
                cutOff += e.getStatus().getCode() == Status.Code.UNIMPLEMENTED ? 0 : 1;
            } catch (IOException e) {
                problem = Optional.of(String.valueOf(e.getMessage()));
                cutOff++;
            }
            end(cutOff > CUT_OFF_AT_MOST ? problem : Optional.empty());
            if (problem.isPresent()) {
                channel.ifPresent(ManagedChannel::shutdownNow);
                channel = Optional.empty();
            }
            LockSupport.parkNanos(PAUSE_NANOS);
        }
        channel.ifPresent(ManagedChannel::shutdownNow);
    }

    private synchronized void begin() {
        began = System.nanoTime();
        stalledBefore = stalledNanos.get();
    }

    private synchronized void end(Optional<String> problem) {
        longest = Math.max(longest, waited());
        began = 0;
        if (refused.isEmpty() && !closed) {
            refused = problem;
        }
    }

    private long waited() {
        return began == 0 ? 0 : System.nanoTime() - began - (stalledNanos.get() - stalledBefore);
    }

    /** How the calls went since this was asked last; the one that still waits counts as long as it has waited. */
    record Result(long longestMillis, Optional<String> refused, int threads, long residentKiB) {}

    synchronized Result result() {
        Result result =
                new Result(TimeUnit.NANOSECONDS.toMillis(Math.max(longest, waited())), refused, threads, residentKiB);
        longest = 0;
        threads = 0;
        residentKiB = 0;
        refused = Optional.empty();
        return result;
    }

    @Override
    public void close() {
        closed = true;
    }
}
