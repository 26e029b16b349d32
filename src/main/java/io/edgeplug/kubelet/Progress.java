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
 * How far one registration has come; written on the epoll loop and by the stream's thread, read by whoever wants to know.
 *
 * <p>It is done when the kubelet has accepted the resource and been sent the first list: its OK alone does not say that
 * it reads.
 */
final class Progress {

    /** A process that dies closes its connections first, so for so long it is not known whether it dies. */
    private static final Duration DYING = Duration.ofSeconds(1);

    /** A kubelet's reason for a refusal is a sentence or two. */
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
     * @param progressed run whenever it has come further
     * @param wake run when there is something to do about it
     */
    Progress(Runnable progressed, Runnable wake) {
        this.progressed = progressed;
        this.wake = wake;
    }

    /** The kubelet is being asked in a call that {@code cancel} ends, and has so long to answer and to read. */
    void asked(Runnable cancel, Duration patience) {
        call = Optional.of(cancel);
        deadline = Optional.of(Deadline.in(patience));
    }

    /** A kubelet has found the socket by itself, and asks what it is: what became of that before is no longer of interest. */
    void found() {
        if (hungUp || refusal.isPresent()) {
            beginAnew();
        }
        isFound = true;
    }

    /** Whether no kubelet was asked, or the one that was has been registered with and has hung up since. */
    boolean canBeginAnew() {
        return call.isEmpty() || (accepted && hungUp && streams.isEmpty());
    }

    /** Forgets all that was, for a registration of the same server. */
    void beginAnew() {
        call = Optional.empty();
        accepted = false;
        listed = Optional.empty();
        refusal = Optional.empty();
        first = Optional.empty();
        deadline = Optional.empty();
        hungUp = false;
    }

    /** Nobody waits for the kubelet's answer any more. */
    void giveUp() {
        call.ifPresent(Runnable::run);
    }

    void accepted() {
        accepted = true;
        progressed.run();
    }

    /** A stream has begun, which that thread writes. */
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
            progressed.run();
        }
    }

    /** For that reason, which may be any text. */
    void refused(String reason) {
        String start = reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) + "…" : reason;
        refusal = Optional.of(PlainText.of(start));
        wake.run();
    }

    /** The call that was to register has failed. */
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
            // what gRPC says of a broken connection names its own classes, or nothing
            refused(status.getCause() == null ? description : "the kubelet does not answer as gRPC does");
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
            deadline = Optional.of(Deadline.in(DYING));
            hungUp = true;
            wake.run();
        }
    }

    /** How many devices the kubelet was told first; empty until the registration is done, and once the kubelet has hung up. */
    Optional<Integer> registered() {
        return accepted && !hungUp ? listed : Optional.empty();
    }

    /** Whether the kubelet does not know this version of the API. */
    boolean isUnsupported() {
        return unsupported;
    }

    /** Whether the call failed for want of a connection, as far as gRPC tells. */
    boolean isDisconnected() {
        return disconnected;
    }

    /** Whether the kubelet ended the stream, and said nothing against the resource before. */
    boolean hasHungUp() {
        return hungUp && refusal.isEmpty();
    }

    /** Why this registration has come to nothing or to an end; empty while it stands, or may yet. */
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

    /** Whether a kubelet that found the socket by itself has ended, or may be about to: the next one finds it, too. */
    private boolean isKubeletGone() {
        return kubelet.filter(process ->
                        !process.isAlive() || deadline.filter(Deadline::isOver).isEmpty())
                .isPresent();
    }

    /** When to look again whether time is up; empty if it never is. */
    Optional<Deadline> deadline() {
        return registered().isPresent() ? Optional.empty() : deadline.filter(one -> !one.isOver());
    }
}
