package io.edgeplug.kubelet;

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
 */
final class KubeletConnection implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(KubeletConnection.class.getName());

    private static final Duration FIRST_RETRY = Duration.ofMillis(2);

    /** A socket has its name a moment before anyone listens, and a dead kubelet's socket stays: neither is worth a line. */
    private static final Duration STARTING = Duration.ofSeconds(1);

    private final UnixRpc rpc;
    private final PluginDirectory directory;
    private final Runnable wake;

    private volatile Optional<Established> established = Optional.empty();

    // below: touched by one thread at a time
    private final Backoff retries = new Backoff(FIRST_RETRY, PluginDirectory.POLL);
    private Optional<KubeletSocket> kubelet = Optional.empty();
    private Optional<ManagedChannel> channel = Optional.empty();

    /** Whether the channel's state is another than when it was looked at last. */
    private AtomicBoolean hasMoved = new AtomicBoolean();

    private Deadline starting = Deadline.in(STARTING);
    private Deadline patience = Deadline.in(V1beta1.PATIENCE);
    private boolean isTold;

    /** A connection that stands, and whose socket it was made to. */
    record Established(KubeletSocket kubelet, ManagedChannel channel) {}

    /**
     * A connection that has not been made.
     *
     * @param wake run when there may be something to do about it
     */
    KubeletConnection(UnixRpc rpc, PluginDirectory directory, Runnable wake) {
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
            drop();
            kubelet = here;
            retries.reset();
            starting = Deadline.in(STARTING);
            isTold = false;
        }
        channel.ifPresent(this::review);
        if (channel.isEmpty() && kubelet.isPresent() && retries.isDue()) {
            connect();
        }
    }

    private void connect() {
        ManagedChannel connecting = rpc.dial(directory.kubeletSocket());
        channel = Optional.of(connecting);
        patience = Deadline.in(V1beta1.PATIENCE);
        hasMoved = new AtomicBoolean();
        ConnectivityState ignored = connecting.getState(true);
        watch(connecting, ConnectivityState.IDLE);
    }

    private void review(ManagedChannel current) {
        boolean isNews = hasMoved.getAndSet(false);
        ConnectivityState state = current.getState(false);
        switch (state) {
            case READY -> {
                if (established.isEmpty()) {
                    established = Optional.of(new Established(kubelet.orElseThrow(), current));
                    retries.reset();
                    directory.progressed();
                }
            }
            case IDLE, CONNECTING -> {
                // it was made to connect, so it is idle again only after that came to an end
                if (established.isPresent() || (isNews && state == ConnectivityState.IDLE)) {
                    lose();
                } else if (patience.isOver()) {
                    tell(Level.WARNING, directory.kubeletSocket() + ": the kubelet does not answer");
                    lose();
                }
            }
            case TRANSIENT_FAILURE, SHUTDOWN -> {
                if (starting.isOver()) {
                    tellWhyItFails();
                }
                lose();
            }
        }
        if (channel.isPresent() && isNews) {
            watch(current, state);
        }
    }

    /** Has the next change of its state looked at, which may be past already. */
    private void watch(ManagedChannel current, ConnectivityState state) {
        AtomicBoolean moved = hasMoved;
        current.notifyWhenStateChanged(state, () -> {
            moved.set(true);
            wake.run();
        });
    }

    private void tellWhyItFails() {
        if (SocketNames.isListening(directory.kubeletSocket())) {
            tell(Level.WARNING, directory.kubeletSocket() + ": something other than a kubelet listens there");
        } else {
            tell(Level.INFO, "waiting for the kubelet: nobody listens on " + directory.kubeletSocket());
        }
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
        if (channel.isEmpty() && kubelet.isPresent() && retries.isDue()) {
            return Duration.ZERO;
        }
        Optional<Deadline> next = channel.isPresent()
                ? Optional.of(patience).filter(deadline -> established.isEmpty())
                : kubelet.flatMap(here -> retries.due());
        return next.map(Deadline::wakeUp).orElse(PluginDirectory.POLL);
    }

    /** Hangs up. */
    @Override
    public void close() {
        drop();
    }
}
