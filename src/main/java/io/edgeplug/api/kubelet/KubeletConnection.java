package io.edgeplug.api.kubelet;

import io.edgeplug.node.pods.KubeletSocket;
import io.edgeplug.system.flow.Backoff;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.rpc.UnixRpc;
import io.grpc.ConnectivityState;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The connection to the kubelet's Registration service, which all resources share.
 *
 * <p>It is made as soon as a kubelet listens, and again after it has ended. A resource registers only over an
 * established connection: the kubelet at its other end has already wiped the directory, so it no longer wipes existing
 * sockets. One thread at a time uses it; only {@link #established} is for all.
 *
 * <p>While there is no kubelet, the channel is kept after its failed attempts. Once a kubelet listens, it only has to
 * connect. Setting up a new channel would take half of the time.
 */
final class KubeletConnection implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(KubeletConnection.class.getName());

    /** The kubelet answers with an empty message. */
    private static final int MAX_ANSWER_BYTES = 1024;

    private static final Duration FIRST_RETRY = Duration.ofMillis(2);

    /**
     * A socket exists a moment before its kubelet listens, and that of a dead kubelet stays. Neither is worth a log
     * line.
     */
    private static final Duration STARTING = Duration.ofSeconds(1);

    private final UnixRpc rpc;
    private final PluginDirectory directory;
    private final Runnable wake;
    private final Duration limit;

    private volatile @Nullable Established established;

    // Only one thread at a time uses the fields below.
    private final Backoff retries = new Backoff(FIRST_RETRY, PluginDirectory.LONGEST_RETRY);
    private @Nullable KubeletSocket kubelet;
    private @Nullable ManagedChannel channel;

    /** Whether the channel's state has changed since the last look. */
    private AtomicBoolean hasMoved = new AtomicBoolean();

    /** Whether the channel has failed to connect. */
    private boolean hasFailed;

    private Deadline starting = Deadline.in(STARTING);
    private Deadline patience;
    private boolean isTold;

    /** An established connection, and the socket that it was made to. */
    record Established(KubeletSocket kubelet, ManagedChannel channel) {}

    /**
     * A connection that is not made yet.
     *
     * @param wake runs when there may be something to do for it
     */
    KubeletConnection(UnixRpc rpc, PluginDirectory directory, Runnable wake) {
        this(rpc, directory, wake, KubeletApi.PATIENCE);
    }

    /** The same, with a time limit for the kubelet's answer. */
    KubeletConnection(UnixRpc rpc, PluginDirectory directory, Runnable wake, Duration limit) {
        this.limit = limit;
        this.patience = Deadline.in(limit);
        this.rpc = rpc;
        this.directory = directory;
        this.wake = wake;
    }

    Optional<Established> established() {
        return Optional.ofNullable(established).filter(one -> one.channel().getState(false) == ConnectivityState.READY);
    }

    /** Connects to a kubelet that has come, and checks the state of the connection. */
    void look() {
        KubeletSocket here = directory.view().kubelet().orElse(null);
        if (!Objects.equals(here, kubelet)) {
            leave();
            kubelet = here;
            retries.reset();
            starting = Deadline.in(STARTING);
            isTold = false;
            if (channel != null) {
                hurry(channel);
            }
        }
        if (channel != null) {
            review(channel);
        }
        if (channel == null && (kubelet == null || retries.isDue())) {
            dial();
        }
    }

    private void dial() {
        ManagedChannel connecting = rpc.dial(directory.kubeletSocket(), MAX_ANSWER_BYTES);
        channel = connecting;
        hasFailed = false;
        hasMoved = new AtomicBoolean();
        hurry(connecting);
        watch(connecting, ConnectivityState.IDLE);
    }

    /**
     * Makes the channel connect now, whether it is idle or waits for its next attempt. From now on the kubelet has a
     * time limit.
     */
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
                if (established == null && kubelet != null) {
                    established = new Established(kubelet, current);
                    retries.reset();
                    directory.progressed();
                }
            }
            case IDLE, CONNECTING -> {
                // It was told to connect, so it is idle again only after the connection has ended.
                if (established != null || (isNews && state == ConnectivityState.IDLE)) {
                    lose();
                } else if (kubelet != null && patience.isOver()) {
                    tell(Level.WARNING, directory.kubeletSocket() + ": the kubelet does not answer");
                    lose();
                }
            }
            case TRANSIENT_FAILURE -> fail(current);
            case SHUTDOWN -> lose();
        }
        if (channel != null && isNews) {
            watch(current, state);
        }
    }

    /** After its first failure a channel reports only success, so another channel finds the reason. */
    private void fail(ManagedChannel current) {
        boolean isFirst = !hasFailed;
        hasFailed = true;
        if (kubelet == null || !(isFirst || retries.isDue())) {
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

    /** Watches for the next change of the channel's state, which may already have happened. */
    private void watch(ManagedChannel current, ConnectivityState state) {
        AtomicBoolean moved = hasMoved;
        current.notifyWhenStateChanged(state, () -> {
            moved.set(true);
            wake.run();
        });
    }

    /** Logs a text once for each kubelet. */
    private void tell(Level level, String text) {
        LOG.log(isTold ? Level.FINE : level, text);
        isTold = true;
    }

    private void lose() {
        drop();
        retries.failed();
    }

    /** Keeps a channel that has no connection. */
    private void leave() {
        if (established != null || isTrying()) {
            drop();
        }
    }

    private void drop() {
        if (channel != null) {
            channel.shutdownNow();
        }
        channel = null;
        if (established != null) {
            established = null;
            directory.progressed();
        }
    }

    /** How long to wait before the next look if nothing happens. */
    Duration pause() {
        if (kubelet == null || established != null) {
            return PluginDirectory.POLL;
        }
        if (isTrying()) {
            return patience.wakeUp();
        }
        return retries.due().map(Deadline::wakeUp).orElse(Duration.ZERO);
    }

    private boolean isTrying() {
        return channel != null && channel.getState(false) != ConnectivityState.TRANSIENT_FAILURE;
    }

    /** Closes the connection. */
    @Override
    public void close() {
        drop();
    }
}
