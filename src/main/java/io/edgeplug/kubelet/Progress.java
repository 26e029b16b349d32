package io.edgeplug.kubelet;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How far one registration has come; written on the epoll loop and by the stream's thread, read by whoever wants to know.
 *
 * <p>It is done when the kubelet has accepted the resource and been sent the first list: its OK alone does not say that
 * it reads.
 */
final class Progress {

    private final Runnable wake;
    private volatile boolean accepted;
    private volatile Optional<Integer> listed = Optional.empty();
    private volatile Optional<String> refusal = Optional.empty();
    private volatile boolean unsupported;
    private volatile boolean unreachable;
    private volatile boolean hungUp;
    private volatile Optional<Deadline> deadline = Optional.empty();
    private volatile Optional<ManagedChannel> asked = Optional.empty();
    private volatile Optional<Thread> first = Optional.empty();
    private final Set<Thread> streams = ConcurrentHashMap.newKeySet();
    private final Set<Thread> writers = ConcurrentHashMap.newKeySet();

    /** A registration that has not begun; {@code wake} is run whenever it has come further. */
    Progress(Runnable wake) {
        this.wake = wake;
    }

    /** The kubelet is being asked on that channel, and has so long to answer and to read. */
    void asked(ManagedChannel channel, Duration patience) {
        asked = Optional.of(channel);
        deadline = Optional.of(Deadline.in(patience));
    }

    /** The kubelet has answered, or is not asked any more. */
    void answered() {
        asked.ifPresent(ManagedChannel::shutdownNow);
    }

    void accepted() {
        accepted = true;
        wake.run();
    }

    /** A stream has begun, which that thread writes. */
    void streaming(Thread writer) {
        if (first.isEmpty()) {
            first = Optional.of(writer);
        }
        streams.add(writer);
        writers.add(writer);
    }

    /** That thread has written its last, and ends. */
    void written(Thread writer) {
        writers.remove(writer);
    }

    /** Waits until no thread writes to a stream any more; they end with their streams. */
    void awaitWriters(Duration timeout) throws InterruptedException {
        for (Thread writer : writers) {
            writer.join(timeout);
        }
    }

    /** A list of so many devices has been sent. */
    void listed(int devices) {
        if (listed.isEmpty()) {
            listed = Optional.of(devices);
            wake.run();
        }
    }

    void refused(String reason) {
        refusal = Optional.of(reason);
        wake.run();
    }

    /** The call that was to register has failed. */
    void failed(Throwable error) {
        Status status = Status.fromThrowable(error);
        String description = String.valueOf(status.getDescription());
        unsupported = status.getCode() == Status.Code.UNIMPLEMENTED
                || description.contains("is not supported by kubelet")
                || description.contains("Unsupported version");
        Throwable cause = status.getCause();
        if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
            refused("the kubelet does not answer");
        } else if (cause instanceof IOException) {
            unreachable = true;
            refused("cannot reach the kubelet: " + cause.getMessage());
        } else if (cause != null) {
            refused("the kubelet does not answer as gRPC does");
        } else {
            refused(status.getDescription() == null ? status.getCode().toString() : description);
        }
    }

    /**
     * The stream that this thread wrote has ended. The first is the kubelet's own, since nobody else knows the socket's
     * name so early; another is of someone who looks, and ends without harm.
     */
    void hungUp(Thread writer) {
        writer.interrupt();
        streams.remove(writer);
        if (first.equals(Optional.of(writer)) || streams.isEmpty()) {
            hungUp = true;
            wake.run();
        }
    }

    /** How many devices the kubelet was told first; empty until the registration is done. */
    Optional<Integer> registered() {
        return accepted ? listed : Optional.empty();
    }

    /** Whether the kubelet does not know this version of the API. */
    boolean isUnsupported() {
        return unsupported;
    }

    /** Whether nobody answers on the kubelet's socket. */
    boolean isUnreachable() {
        return unreachable;
    }

    /** Whether the kubelet ended the stream, and said nothing against the resource before. */
    boolean hasHungUp() {
        return hungUp && refusal.isEmpty();
    }

    /** Why the kubelet cannot be told anything any more; empty while it can, or may yet be. */
    Optional<String> problem() {
        if (refusal.isPresent()) {
            return refusal.map(reason -> "cannot register: " + reason);
        }
        if (registered().isEmpty() && deadline.filter(Deadline::isOver).isPresent()) {
            return Optional.of("cannot register: "
                    + (accepted
                            ? "the kubelet said OK and has not asked for the devices"
                            : "the kubelet does not answer"));
        }
        return hungUp ? Optional.of("the kubelet has hung up") : Optional.empty();
    }

    /** When to look again whether time is up; empty if it never is. */
    Optional<Deadline> deadline() {
        return registered().isPresent() ? Optional.empty() : deadline;
    }
}
