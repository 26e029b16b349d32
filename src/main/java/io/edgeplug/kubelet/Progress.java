package io.edgeplug.kubelet;

import io.edgeplug.flow.Deadline;
import io.edgeplug.linux.PlainText;
import io.edgeplug.linux.UnixRpc;
import io.grpc.Status;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The progress of one registration. The epoll loop and the stream's thread write it, and any thread reads it.
 *
 * <p>A registration is done when the kubelet has accepted the resource and the first list was sent. Its OK alone does
 * not show that it reads.
 */
final class Progress {

    /** A dying process closes its connections first. For this long, it is not known whether it dies. */
    private static final Duration DYING = Duration.ofSeconds(1);

    /** A kubelet's reason for a refusal has a sentence or two. */
    private static final int MAX_REASON = 400;

    static final String HUNG_UP = "the kubelet has hung up";

    private final Runnable wake;
    private final Runnable progressed;
    private volatile boolean accepted;
    private volatile Optional<Integer> listed = Optional.empty();
    private volatile Optional<String> refusal = Optional.empty();
    private volatile boolean unsupported;
    private volatile boolean disconnected;
    private volatile boolean hungUp;
    private volatile boolean isFound;
    private volatile Optional<Deadline> deadline = Optional.empty();
    private volatile Optional<Runnable> call = Optional.empty();
    private volatile Optional<Thread> first = Optional.empty();
    private volatile Optional<ProcessHandle> kubelet = Optional.empty();
    private final Set<Thread> streams = ConcurrentHashMap.newKeySet();
    private final Set<Thread> writers = ConcurrentHashMap.newKeySet();

    /**
     * A registration that has not begun.
     *
     * @param progressed runs whenever it has progressed
     * @param wake runs when there is something to do for it
     */
    Progress(Runnable progressed, Runnable wake) {
        this.progressed = progressed;
        this.wake = wake;
    }

    /** The kubelet is being asked in a call that {@code cancel} ends, and has that long to answer and to read. */
    void asked(Runnable cancel, Duration patience) {
        call = Optional.of(cancel);
        deadline = Optional.of(Deadline.in(patience));
    }

    /** A kubelet has found the socket by itself and asks for its name. Earlier progress no longer counts. */
    void found() {
        if (hungUp || refusal.isPresent()) {
            beginAnew();
        }
        isFound = true;
    }

    /** Whether no kubelet was asked, or the registration succeeded and the kubelet has hung up since. */
    boolean canBeginAnew() {
        return call.isEmpty() || (accepted && hungUp && streams.isEmpty());
    }

    /** Forgets everything, for another registration of the same server. */
    void beginAnew() {
        call = Optional.empty();
        accepted = false;
        listed = Optional.empty();
        refusal = Optional.empty();
        first = Optional.empty();
        deadline = Optional.empty();
        hungUp = false;
    }

    /** No longer waits for the kubelet's answer. */
    void giveUp() {
        call.ifPresent(Runnable::run);
    }

    void accepted() {
        accepted = true;
        progressed.run();
    }

    /** A stream has begun, and that thread writes it. */
    void streaming(Thread writer) {
        if (first.isEmpty()) {
            first = Optional.of(writer);
            kubelet = UnixRpc.callerPid().filter(pid -> isFound).flatMap(ProcessHandle::of);
        }
        streams.add(writer);
        writers.add(writer);
    }

    /** How many streams there are. */
    int streams() {
        return streams.size();
    }

    /** That thread has written its last message, and ends. */
    void written(Thread writer) {
        writers.remove(writer);
    }

    /** Waits until no thread writes to a stream any more. They end with their streams. */
    void awaitWriters(Duration timeout) throws InterruptedException {
        for (Thread writer : writers) {
            writer.join(timeout);
        }
    }

    /** A list with that many devices has been sent. */
    void listed(int devices) {
        if (listed.isEmpty()) {
            listed = Optional.of(devices);
            progressed.run();
        }
    }

    /** The kubelet has refused for that reason, which may be any text. */
    void refused(String reason) {
        String start = reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) + "…" : reason;
        refusal = Optional.of(PlainText.of(start));
        wake.run();
    }

    /** The call to register has failed. */
    void failed(Throwable error) {
        Status status = Status.fromThrowable(error);
        String description = Optional.ofNullable(status.getDescription())
                .orElse("the kubelet answers " + status.getCode() + " and no reason");
        unsupported = status.getCode() == Status.Code.UNIMPLEMENTED
                || description.contains("is not supported by kubelet")
                || description.contains("Unsupported version");
        disconnected = status.getCode() == Status.Code.UNAVAILABLE;
        if (status.getCode() == Status.Code.DEADLINE_EXCEEDED) {
            refused("the kubelet does not answer");
        } else {
            // For a broken connection, gRPC's text names its own classes, or nothing.
            refused(status.getCause() == null ? description : "the kubelet does not answer as gRPC does");
        }
    }

    /**
     * The stream that this thread wrote has ended. The first stream is the kubelet's own, because nobody else knows the
     * name of the socket so early. Any other stream belongs to a tool that looks, and ends without harm.
     */
    void hungUp(Thread writer) {
        writer.interrupt();
        streams.remove(writer);
        if (first.equals(Optional.of(writer)) || streams.isEmpty()) {
            deadline = Optional.of(Deadline.in(DYING));
            hungUp = true;
            wake.run();
        }
    }

    /**
     * How many devices were in the first list; empty until the registration is done, and after the kubelet has hung up.
     */
    Optional<Integer> registered() {
        return accepted && !hungUp ? listed : Optional.empty();
    }

    /** Whether the kubelet does not know this version of the API. */
    boolean isUnsupported() {
        return unsupported;
    }

    /** Whether the call failed because there was no connection, as far as gRPC reports it. */
    boolean isDisconnected() {
        return disconnected;
    }

    /** Whether the kubelet ended the stream without having refused the resource. */
    boolean hasHungUp() {
        return hungUp && refusal.isEmpty();
    }

    /** Why this registration has failed or ended; empty while it stands or may succeed. */
    Optional<String> problem() {
        if (refusal.isPresent()) {
            return refusal.map(reason -> "cannot register: " + reason);
        }
        if (hungUp) {
            return kubelet.isEmpty()
                    ? Optional.of(HUNG_UP)
                    : Optional.of("the kubelet goes on without it, so it is served on a new socket")
                            .filter(text -> !isKubeletGone());
        }
        if (registered().isEmpty() && deadline.filter(Deadline::isOver).isPresent()) {
            return Optional.of("cannot register: "
                    + (accepted
                            ? "the kubelet said OK and has not asked for the devices"
                            : "the kubelet does not answer"));
        }
        return Optional.empty();
    }

    /**
     * Whether a kubelet that found the socket by itself has ended or is about to. The next kubelet finds the socket
     * too.
     */
    private boolean isKubeletGone() {
        return kubelet.filter(process ->
                        !process.isAlive() || deadline.filter(Deadline::isOver).isEmpty())
                .isPresent();
    }

    /** When the next time limit ends; empty if there is none. */
    Optional<Deadline> deadline() {
        return registered().isPresent() ? Optional.empty() : deadline.filter(one -> !one.isOver());
    }
}
