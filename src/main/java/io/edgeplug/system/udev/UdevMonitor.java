package io.edgeplug.system.udev;

import com.sun.jna.Pointer;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.kernel.KernelCalls;
import io.edgeplug.system.kernel.Poll;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The uevents of this node: from udevd after its rules have run, or from the kernel if udevd does not run.
 *
 * <p>The source may change at any time. This is checked when udevd's control socket comes or goes, and now and then.
 * {@link Uevent#MISSED} reports the gap, and uevents for which the socket had no room.
 */
public final class UdevMonitor implements UeventSource {

    private static final Logger LOG = Logger.getLogger(UdevMonitor.class.getName());

    /** How long the end of a killed udevd may go unnoticed, which leaves its socket's file behind. */
    private static final Duration UDEVD_CHECK = Duration.ofSeconds(60);

    /**
     * The same if there is no {@code /run/udev} to watch, and once after its socket has come, which may not listen yet.
     */
    private static final Duration SOON = Duration.ofSeconds(2);

    /** Room for a burst. The kernel takes memory only for waiting uevents, about 2 KiB for each. */
    private static final int BUFFER_BYTES = 64 << 20;

    /** The places of the descriptors in the poll. */
    private static final int UEVENTS = 0;

    private static final int UDEVD = 1;

    /** Loaded once, by the first thread that asks. */
    private static final FutureTask<Void> LIBRARY = new FutureTask<>(() -> {
        Udev.load();
        return null;
    });

    private final Pointer context;
    private final int bufferBytes;
    private final Poll poll;
    private final Udevd watch;
    private final Duration check;

    /** Held by the thread in {@link #next}, and by the close. */
    private final ReentrantLock turn = new ReentrantLock();

    private volatile boolean closed;

    // The fields below are guarded by the turn.
    private UeventSocket socket;

    private @Nullable String udevd;
    private Deadline nextCheck;
    private boolean hasStirred;
    private boolean released;

    private UdevMonitor(int bufferBytes, Duration check) throws IOException {
        this.bufferBytes = bufferBytes;
        this.check = check;
        this.context = Udev.udev_new();
        this.poll = Poll.open(2);
        // The watch begins before the look: a change in between is seen twice and not missed.
        this.watch = Udevd.watch();
        this.udevd = Udevd.socket().orElse(null);
        try {
            this.socket = UeventSocket.open(context, udevd != null, bufferBytes);
        } catch (IOException e) {
            watch.close();
            poll.close();
            Udev.udev_unref(context);
            throw e;
        }
        this.nextCheck = Deadline.in(pause());
    }

    /**
     * Loads libudev in the background at the start, because it takes tens of milliseconds.
     * {@link #open} reports a failure.
     */
    public static void loadInBackground() {
        Thread.ofPlatform().name("loading udev").daemon().start(LIBRARY);
    }

    private static void load() throws IOException {
        LIBRARY.run();
        try {
            LIBRARY.get();
        } catch (ExecutionException e) {
            // This is the exception of Udev.load.
            if (e.getCause() instanceof IOException told) {
                throw told;
            }
            throw new IllegalStateException("libudev could not be loaded", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while libudev is loaded");
        }
    }

    /**
     * Subscribes. From now on no event is missed.
     *
     * @throws IOException if this node has no libudev, or its kernel gives no socket
     */
    public static UdevMonitor open() throws IOException {
        return open(BUFFER_BYTES, UDEVD_CHECK);
    }

    static UdevMonitor open(int bufferBytes, Duration check) throws IOException {
        load();
        return new UdevMonitor(bufferBytes, check);
    }

    @Override
    public Optional<Uevent> next() {
        turn.lock();
        try {
            Optional<Uevent> event = Optional.empty();
            while (event.isEmpty() && !closed) {
                event = hasUdevdChanged() ? Optional.of(Uevent.MISSED) : receive();
            }
            return closed ? Optional.empty() : event;
        } finally {
            turn.unlock();
        }
    }

    /** Ends {@link #next}, and waits for its end. */
    @Override
    public void close() {
        closed = true;
        poll.wake();
        turn.lock();
        try {
            release();
        } finally {
            turn.unlock();
        }
    }

    /** Waits for a uevent, until udevd must be checked again. */
    private Optional<Uevent> receive() {
        poll.watch(UEVENTS, socket.descriptor(), KernelCalls.POLLIN);
        poll.watch(UDEVD, watch.descriptor(), KernelCalls.POLLIN);
        poll.await((int) Math.max(0, nextCheck.wakeUp().toMillis()));
        int returned = poll.returned(UEVENTS);
        if ((returned & KernelCalls.POLLNVAL) != 0) {
            throw new IllegalStateException("the socket of the uevents was closed by someone else");
        }
        if (poll.returned(UDEVD) != 0 && watch.hasChanged()) {
            nextCheck = Deadline.in(Duration.ZERO);
            hasStirred = true;
        }
        return returned == 0 || closed ? Optional.empty() : socket.receive();
    }

    /** Whether the socket was replaced, so that events in between may have been missed. */
    private boolean hasUdevdChanged() {
        if (!nextCheck.isOver()) {
            return false;
        }
        watch.follow();
        nextCheck = Deadline.in(pause());
        @Nullable String now = Udevd.socket().orElse(null);
        if (Objects.equals(now, udevd)) {
            return false;
        }
        try {
            UeventSocket other = UeventSocket.open(context, now != null, bufferBytes);
            socket.close();
            socket = other;
            udevd = now;
            return true;
        } catch (IOException e) {
            LOG.warning(() -> "udevd has come or gone, and uevents may be missed: " + e.getMessage());
            return false;
        }
    }

    private Duration pause() {
        boolean isSoon = hasStirred || !watch.isWatching();
        hasStirred = false;
        return isSoon && SOON.compareTo(check) < 0 ? SOON : check;
    }

    private void release() {
        if (!released) {
            released = true;
            socket.close();
            Udev.udev_unref(context);
            watch.close();
            poll.close();
        }
    }
}
