package io.edgeplug.api.kubelet;

import io.edgeplug.api.kubelet.RegistrationState.Accepted;
import io.edgeplug.api.kubelet.RegistrationState.Asked;
import io.edgeplug.api.kubelet.RegistrationState.HungUp;
import io.edgeplug.api.kubelet.RegistrationState.Listed;
import io.edgeplug.api.kubelet.RegistrationState.Refused;
import io.edgeplug.api.kubelet.RegistrationState.Registered;
import io.edgeplug.api.kubelet.RegistrationState.Served;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.kernel.PlainText;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The registration of one served socket, with the streams of its list. Any thread uses it: the epoll loop and the
 * writers of streams report what happens.
 */
final class Registration {

    private static final Duration DYING = Duration.ofSeconds(1);

    /** A kubelet's reason for a refusal has a sentence or two. */
    private static final int MAX_REASON = 400;

    private final PluginLog log;
    private final boolean isFound;
    private final Runnable progressed;
    private final Runnable wake;
    private final Set<Thread> streams = ConcurrentHashMap.newKeySet();
    private final Set<Thread> writers = ConcurrentHashMap.newKeySet();

    /** Changed by {@link #become} only, with the lock of this held. Any thread reads it. */
    private volatile RegistrationState state = new Served();

    private volatile Runnable cancel = () -> {};

    // The fields below are guarded by this.
    private @Nullable Thread reader;
    private @Nullable ProcessHandle kubelet;

    /**
     * A registration that has not begun.
     *
     * @param isFound whether the kubelet finds the socket by itself
     * @param progressed runs whenever it has progressed
     * @param wake runs when it has failed or ended
     */
    Registration(PluginLog log, boolean isFound, Runnable progressed, Runnable wake) {
        this.log = log;
        this.isFound = isFound;
        this.progressed = progressed;
        this.wake = wake;
    }

    /** How far it is now. */
    RegistrationState state() {
        return state;
    }

    /** The only way to another state. It wakes whoever must act on it or waits for it. */
    private void become(RegistrationState next) {
        RegistrationState old = state;
        if (next.equals(old)) {
            return;
        }
        state = next;
        log.changed(old, next);
        if (next instanceof Refused || next instanceof HungUp) {
            wake.run();
        } else if (!(next instanceof Served || next instanceof Asked)) {
            // Nobody waits for the others, and a booting kubelet leaves little time.
            progressed.run();
        }
    }

    /** The kubelet is being asked in a call that {@code cancel} ends, and has that long to answer and to read. */
    synchronized void asked(Runnable cancel, Duration patience) {
        this.cancel = cancel;
        begin(new Asked(Optional.of(Deadline.in(patience))));
    }

    /** A kubelet has found the socket by itself and asks for its name. It may take as long as it likes. */
    synchronized void found() {
        if (state instanceof Served || state instanceof Refused || state instanceof HungUp) {
            begin(new Asked(Optional.empty()));
        }
    }

    private void begin(RegistrationState next) {
        reader = null;
        become(next);
    }

    /**
     * Makes the socket new to the next kubelet, if the registration succeeded and the kubelet has hung up.
     *
     * @return whether it did
     */
    synchronized boolean reuse() {
        boolean isUnused = state instanceof HungUp hungUp && hungUp.isAnswered() && streams.isEmpty();
        if (isUnused) {
            begin(new Served());
        }
        return isUnused;
    }

    /** The kubelet has accepted it. */
    synchronized void accepted() {
        become(
                switch (state) {
                    case Asked asked -> new Accepted(asked.until());
                    case Listed listed -> new Registered(listed.devices());
                    case HungUp hungUp -> new HungUp(true, hungUp.kubelet(), hungUp.until());
                    default -> state;
                });
    }

    /** That writer has sent a list of so many devices. */
    synchronized void listed(Thread writer, int devices) {
        if (writer.equals(reader)) {
            become(
                    switch (state) {
                        case Asked asked -> new Listed(asked.until(), devices);
                        case Accepted accepted -> new Registered(devices);
                        default -> state;
                    });
        }
    }

    /** The kubelet has refused it for that reason, which may be any text. */
    void refused(String reason) {
        refused(Refused.Kind.OTHER, reason);
    }

    private synchronized void refused(Refused.Kind kind, String reason) {
        if (!(state instanceof Served)) {
            become(new Refused(kind, PlainText.start(reason, MAX_REASON)));
        }
    }

    /** Takes the kubelet's answer to Register, in any version of the API. */
    <Q, A> ClientResponseObserver<Q, A> answer() {
        return new ClientResponseObserver<>() {
            @Override
            public void beforeStart(ClientCallStreamObserver<Q> call) {
                asked(() -> call.cancel("the socket is given up", null), KubeletApi.PATIENCE);
            }

            @Override
            public void onNext(A ok) {
                accepted();
            }

            @Override
            public void onError(Throwable error) {
                failed(error);
            }

            @Override
            public void onCompleted() {
                // The answer itself was everything.
            }
        };
    }

    /** The call to register has failed. */
    void failed(Throwable error) {
        Status status = Status.fromThrowable(error);
        String description = Optional.ofNullable(status.getDescription())
                .orElse("the kubelet answers " + status.getCode() + " and no reason");
        boolean isUnsupported = status.getCode() == Status.Code.UNIMPLEMENTED
                || description.contains("is not supported by kubelet")
                || description.contains("Unsupported version");
        // For a broken connection, gRPC's text names its own classes, or nothing.
        String reason = status.getCode() == Status.Code.DEADLINE_EXCEEDED
                ? "the kubelet does not answer"
                : status.getCause() == null ? description : "the kubelet does not answer as gRPC does";
        refused(
                isUnsupported
                        ? Refused.Kind.UNSUPPORTED
                        : status.getCode() == Status.Code.UNAVAILABLE ? Refused.Kind.DISCONNECTED : Refused.Kind.OTHER,
                reason);
    }

    /**
     * A stream has begun, and that thread writes it. The first stream after the question is the kubelet's own, because
     * nobody else knows the name of the socket so early. Any other belongs to a tool that looks, and ends without harm.
     */
    synchronized void streaming(Thread writer) {
        if (reader == null && !(state instanceof Served)) {
            reader = writer;
            kubelet = UnixRpc.callerPid()
                    .filter(pid -> isFound)
                    .flatMap(ProcessHandle::of)
                    .orElse(null);
        }
        streams.add(writer);
        writers.add(writer);
    }

    /** The stream that this thread wrote has ended. */
    synchronized void hungUp(Thread writer) {
        writer.interrupt();
        boolean isOpen = streams.remove(writer);
        if (isOpen && writer.equals(reader) && !(state instanceof Refused)) {
            boolean isAnswered = state instanceof Accepted || state instanceof Registered;
            become(new HungUp(isAnswered, Optional.ofNullable(kubelet), Optional.of(Deadline.in(DYING))));
        }
    }

    int streams() {
        return streams.size();
    }

    /** That thread has written its last message, and ends. */
    void written(Thread writer) {
        writers.remove(writer);
    }

    /** Ends a call that the kubelet has not answered. */
    void giveUp() {
        cancel.run();
    }

    /** Waits until no thread writes to a stream any more. They end with their streams. */
    void awaitWriters(Duration timeout) throws InterruptedException {
        for (Thread writer : writers) {
            writer.join(timeout);
        }
    }
}
