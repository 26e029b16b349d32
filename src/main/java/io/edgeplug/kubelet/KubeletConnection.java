package io.edgeplug.kubelet;

import io.edgeplug.flow.Backoff;
import io.edgeplug.flow.Deadline;
import io.edgeplug.kubelet.PluginDirectory.KubeletSocket;
import io.edgeplug.linux.UnixRpc;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The connection to the kubelet's Registration service, which all resources share.
 *
 * <p>It is made as soon as a kubelet listens, and again when it has ended. A resource registers only over a connection that
 * stands: the kubelet at its other end has finished wiping the directory, so a socket that exists then is not wiped by it.
 * For one thread at a time, but for {@link #established}.
 *
 * <p>While there is no kubelet, a channel has tried in vain to connect, and is kept: all that is left to do for it once a
 * kubelet listens is to connect, where a new one would first have to be set up, which takes half of the time.
 */
final class KubeletConnection implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(KubeletConnection.class.getName());

    private static final Duration FIRST_RETRY = Duration.ofMillis(2);

    /** A socket has its name a moment before anyone listens, and a dead kubelet's socket stays: neither is worth a line. */
    private static final Duration STARTING = Duration.ofSeconds(1);

    private final UnixRpc rpc;
    private final PluginDirectory directory;
    private final Runnable wake;
    private final Duration limit;

    private volatile Optional<Established> established = Optional.empty();

    // below: touched by one thread at a time
    private final Backoff retries = new Backoff(FIRST_RETRY, PluginDirectory.LONGEST_RETRY);
    private Optional<KubeletSocket> kubelet = Optional.empty();
    private Optional<ManagedChannel> channel = Optional.empty();

    /** Whether the channel's state is another than when it was looked at last. */
    private AtomicBoolean hasMoved = new AtomicBoolean();

    /** Whether the channel has tried to connect in vain. */
    private boolean hasFailed;

    private Deadline starting = Deadline.in(STARTING);
    private Deadline patience;
    private boolean isTold;

    /** A connection that stands, and whose socket it was made to. */
    record Established(KubeletSocket kubelet, ManagedChannel channel) {}

    /**
     * A connection that has not been made.
     *
     * @param wake run when there may be something to do about it
     */
    KubeletConnection(UnixRpc rpc, PluginDirectory directory, Runnable wake) {
        this(rpc, directory, wake, KubeletApi.PATIENCE);
    }

    /** The same, for a kubelet that is given so long to answer. */
    KubeletConnection(UnixRpc rpc, PluginDirectory directory, Runnable wake, Duration limit) {
        this.limit = limit;
        this.patience = Deadline.in(limit);
        this.rpc = rpc;
        this.directory = directory;
        this.wake = wake;
    }

    /** The connection, if it stands. */
    Optional<Established> established() {
        return established.filter(one -> one.channel().getState(false) == ConnectivityState.READY);
    }

    /** Connects to a kubelet that has come, and notices what has become of the connection. */
    void look() {
        Optional<KubeletSocket> here = directory.view().kubelet();
        if (!here.equals(kubelet)) {
            leave();
            kubelet = here;
            retries.reset();
            starting = Deadline.in(STARTING);
            isTold = false;
            channel.ifPresent(this::hurry);
        }
        channel.ifPresent(this::review);
        if (channel.isEmpty() && (kubelet.isEmpty() || retries.isDue())) {
            dial();
        }
    }

    private void dial() {
        ManagedChannel connecting = rpc.dial(directory.kubeletSocket());
        channel = Optional.of(connecting);
        hasFailed = false;
        hasMoved = new AtomicBoolean();
        hurry(connecting);
        watch(connecting, ConnectivityState.IDLE);
    }

    /** Has it connect now, whether it waits for calls or with another try; the kubelet has so long for it from now on. */
    private void hurry(ManagedChannel channel) {
        patience = Deadline.in(limit);
        channel.resetConnectBackoff();
        ConnectivityState ignored = channel.getState(true);
    }

    private void review(ManagedChannel current) {
        boolean isNews = hasMoved.getAndSet(false);
        ConnectivityState state = current.getState(false);
        switch (state) {
            case READY -> {
                if (established.isEmpty() && kubelet.isPresent()) {
                    established = Optional.of(new Established(kubelet.orElseThrow(), current));
                    retries.reset();
                    directory.progressed();
                }
            }
            case IDLE, CONNECTING -> {
                // it was made to connect, so it is idle again only after that came to an end
                if (established.isPresent() || (isNews && state == ConnectivityState.IDLE)) {
                    lose();
                } else if (kubelet.isPresent() && patience.isOver()) {
                    tell(Level.WARNING, directory.kubeletSocket() + ": the kubelet does not answer");
                    lose();
                }
            }
            case TRANSIENT_FAILURE -> fail(current);
            case SHUTDOWN -> lose();
        }
        if (channel.isPresent() && isNews) {
            watch(current, state);
        }
    }

    /** After its first failure a channel tells of its success only, so what is wrong is found out by another one. */
    private void fail(ManagedChannel current) {
        boolean isFirst = !hasFailed;
        hasFailed = true;
        if (kubelet.isEmpty() || !(isFirst || retries.isDue())) {
            return;
        }
        if (starting.isOver()) {
            if (!UnixRpc.isListening(directory.kubeletSocket())) {
                tell(Level.INFO, "waiting for the kubelet: nobody listens on " + directory.kubeletSocket());
            } else {
                if (isFirst) {
                    tell(Level.WARNING, directory.kubeletSocket() + ": something other than a kubelet listens there");
                }
                lose();
                return;
            }
        }
        hurry(current);
        retries.failed();
    }

    /** Has the next change of its state looked at, which may be past already. */
    private void watch(ManagedChannel current, ConnectivityState state) {
        AtomicBoolean moved = hasMoved;
        current.notifyWhenStateChanged(state, () -> {
            moved.set(true);
            wake.run();
        });
    }

    /** Tells one thing of each kubelet. */
    private void tell(Level level, String text) {
        LOG.log(isTold ? Level.FINE : level, text);
        isTold = true;
    }

    private void lose() {
        drop();
        retries.failed();
    }

    /** Keeps a channel that is connected to nobody. */
    private void leave() {
        if (established.isPresent()
                || channel.filter(one -> one.getState(false) != ConnectivityState.TRANSIENT_FAILURE)
                        .isPresent()) {
            drop();
        }
    }

    private void drop() {
        channel.ifPresent(ManagedChannel::shutdownNow);
        channel = Optional.empty();
        if (established.isPresent()) {
            established = Optional.empty();
            directory.progressed();
        }
    }

    /** How long to wait with the next look if nothing happens. */
    Duration pause() {
        if (kubelet.isEmpty() || established.isPresent()) {
            return PluginDirectory.POLL;
        }
        boolean isTrying = channel.filter(one -> one.getState(false) != ConnectivityState.TRANSIENT_FAILURE)
                .isPresent();
        if (isTrying) {
            return patience.wakeUp();
        }
        return retries.isDue()
                ? Duration.ZERO
                : retries.due().map(Deadline::wakeUp).orElse(Duration.ZERO);
    }

    /** Hangs up. */
    @Override
    public void close() {
        drop();
    }
}
