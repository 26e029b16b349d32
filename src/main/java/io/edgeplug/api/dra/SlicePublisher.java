package io.edgeplug.api.dra;

import io.edgeplug.system.flow.Backoff;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Latest;
import io.edgeplug.system.flow.Threads;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.logging.Logger;

/**
 * Keeps this node's slices on the API server correct, on a thread of its own. It writes them when devices change, and
 * when somebody else deletes or changes them. While the server is away, it tries again with a back-off.
 */
final class SlicePublisher implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(SlicePublisher.class.getName());

    private static final Duration FIRST_RETRY = Duration.ofMillis(250);
    private static final Duration LONGEST_RETRY = Duration.ofSeconds(60);

    /** Nothing reports the end of a pod of the device plugin, so the slices are checked this often. */
    private static final Duration SLOW_LOOK = Duration.ofSeconds(10);

    /** How often to look at the files of the identity after a failure. */
    private static final Duration FILES_LOOK = Duration.ofSeconds(1);

    private final ApiServer api;
    private final SliceStore store;
    private final String driver;
    private final Supplier<List<Offer>> offers;
    private final Latest<Long> wakes = new Latest<>(0L, Long::longValue);
    private final Thread thread;
    private final Backoff backoff = new Backoff(FIRST_RETRY, LONGEST_RETRY);

    /** Whether a watch has been started whose end was not noted yet; used by the thread only. */
    private boolean isFollowed;

    /** Whether the kubelet knows the driver. It deletes the slices of a driver that it does not know. */
    private volatile boolean isWanted;

    /** The last failure that was logged. */
    private String told = "";

    /** The text of the last failure since the slices were published, told or not. */
    private String last = "";

    private String published = "";

    private volatile SliceStatus status = SliceStatus.UNWANTED;

    /** The number of wakes that the published slices take into account. */
    private final Latest<Long> done = new Latest<>(0L, Long::longValue);

    SlicePublisher(ApiServer api, String driver, KeptFields kept, Supplier<List<Offer>> offers) {
        this.api = api;
        this.store = new SliceStore(api, driver, kept, this::wake);
        this.driver = driver;
        this.offers = offers;
        this.thread = Front.DRA.virtual("slices").unstarted(this::follow);
    }

    void start() {
        thread.start();
    }

    /** The status of the slices, from any thread. */
    SliceStatus status() {
        return status;
    }

    /** Reports that something may have changed. */
    void wake() {
        Long ignored = wakes.change(count -> count + 1);
    }

    /** Waits until the newest change is published, up to a timeout. */
    void awaitPublished(Duration patience) throws InterruptedException {
        wake();
        Long ignored = done.awaitNewerThan(wakes.get() - 1, patience);
    }

    /** Reports that the kubelet has accepted the driver. The kubelet may have deleted the slices before. */
    void want() {
        isWanted = true;
        wake();
    }

    private void follow() {
        try {
            while (true) {
                long seen = wakes.get();
                noteEndOfWatch();
                Deadline least = Deadline.in(isWanted && backoff.isDue() ? attempt(seen) : Duration.ZERO);
                awaitNews(seen, backoff.due().map(Deadline::wakeUp).orElse(SLOW_LOOK));
                // The server may have said how long to wait, and no change shortens that.
                least.await();
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer publishing");
        } finally {
            store.forget();
        }
    }

    /** Waits for a change. After a failure, a change of the identity's files is one too. */
    private void awaitNews(long seen, Duration wait) throws InterruptedException {
        Deadline end = Deadline.in(wait);
        do {
            boolean hasFailed = !backoff.isDue();
            Deadline next = hasFailed ? end.orEarlier(Deadline.in(FILES_LOOK)) : end;
            Long ignored = wakes.awaitNewerThan(seen, next.left());
            if (hasFailed && api.hasNews()) {
                backoff.reset();
                return;
            }
        } while (wakes.get() <= seen && !end.isOver());
    }

    /**
     * The slices are listed again after the end of a watch. A server that ends each watch at once is not asked without
     * a pause, although it answers.
     */
    private void noteEndOfWatch() {
        if (isFollowed && !store.isFollowed()) {
            isFollowed = false;
            backoff.failed();
        }
    }

    /** Returns the pause that the server asks for, or none. */
    private Duration attempt(long seen) throws InterruptedException {
        Duration[] pause = {Duration.ZERO};
        if (!Front.DRA.attempt(() -> pause[0] = publish(seen))) {
            store.forget();
            failed(new IOException("a bug in edgeplug, see above"));
        }
        return pause[0];
    }

    private Duration publish(long seen) throws InterruptedException {
        try {
            SliceStatus now = store.write(offers.get());
            tell(now.slices(), now.devices());
            Long ignored = done.change(before -> seen);
            told = "";
            last = "";
            status = now;
            isFollowed = true;
            backoff.succeeded();
            if (!store.isFollowed()) {
                wake();
            }
        } catch (ApiException e) {
            if (e.isOutdated() || e.isForbidden()) {
                store.forget();
            }
            failed(e);
            return e.retryAfter();
        } catch (IOException e) {
            failed(e);
        }
        return Duration.ZERO;
    }

    private void tell(int slices, int devices) {
        String text = driver + ": published, " + devices + (devices == 1 ? " device" : " devices") + " in " + slices
                + (slices == 1 ? " slice" : " slices");
        if (!text.equals(published) || !told.isEmpty()) {
            LOG.info(text);
            published = text;
        }
    }

    /** A conflict is no news, because somebody else may change or delete a slice at any time. */
    private void failed(IOException e) {
        isFollowed = false;
        backoff.failed();
        String text = String.valueOf(e.getMessage());
        boolean isAgain = text.equals(last);
        last = text;
        if (e instanceof ApiException api && (api.isOutdated() || (api.isForbidden() && !isAgain))) {
            LOG.fine(text);
        } else if (!told.equals(text)) {
            status = status.withProblem(text);
            LOG.warning(driver + ": devices not published, tried again: " + text);
            told = text;
        }
    }

    @Override
    public void close() {
        Threads.end(thread);
    }
}
