package io.edgeplug.dra;

import io.edgeplug.flow.Backoff;
import io.edgeplug.flow.Deadline;
import io.edgeplug.flow.Latest;
import io.edgeplug.flow.Threads;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
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

    private final SliceStore store;
    private final String driver;
    private final Supplier<List<Offer>> offers;
    private final Latest<Long> wakes = new Latest<>(0L, Long::longValue);
    private final Thread thread;
    private final Backoff backoff = new Backoff(FIRST_RETRY, LONGEST_RETRY);

    /** Whether the kubelet knows the driver. It deletes the slices of a driver that it does not know. */
    private volatile boolean isWanted;

    /** The last failure that was logged. */
    private Optional<String> told = Optional.empty();

    /** The text of the last failure since the slices were published, told or not. */
    private String last = "";

    private String published = "";

    private volatile SliceStatus status = SliceStatus.UNWANTED;

    /** The number of wakes that the published slices take into account. */
    private final Latest<Long> done = new Latest<>(0L, Long::longValue);

    SlicePublisher(ApiServer api, String driver, Supplier<String> nodeName, Supplier<List<Offer>> offers) {
        this.store = new SliceStore(api, driver, nodeName, this::wake);
        this.driver = driver;
        this.offers = offers;
        this.thread = Thread.ofVirtual().name("slices").unstarted(this::follow);
    }

    void start() {
        thread.start();
    }

    /** The fields that the API server keeps, as far as it is known; from any thread. */
    SliceFields fields() {
        return store.fields();
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
                Optional<Duration> pause = isWanted && backoff.isDue() ? publish(seen) : Optional.empty();
                Duration wait =
                        pause.or(() -> backoff.due().map(Deadline::wakeUp)).orElse(SLOW_LOOK);
                Long ignored = wakes.awaitNewerThan(seen, wait);
                if (pause.isPresent()) {
                    // The server has said how long to wait, and no change shortens that.
                    ignored = wakes.awaitNewerThan(Long.MAX_VALUE, wait);
                }
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer publishing");
        } finally {
            store.close();
        }
    }

    /** Returns the pause that the server asks for, if any. */
    private Optional<Duration> publish(long seen) throws InterruptedException {
        try {
            int slices = store.write(offers.get());
            tell(slices, store.devices());
            Long ignored = done.change(before -> seen);
            told = Optional.empty();
            last = "";
            status = new SliceStatus(store.pool(), store.generation(), slices, store.devices(), Optional.empty());
            if (store.isFollowed()) {
                backoff.reset();
            } else {
                // The watch has ended, so the next attempt lists the slices again.
                backoff.failed();
                wake();
            }
            return Optional.empty();
        } catch (ApiException e) {
            if (e.isOutdated() || e.isForbidden()) {
                store.forget();
            }
            failed(e);
            return e.retryAfter();
        } catch (IOException e) {
            failed(e);
            return Optional.empty();
        }
    }

    private void tell(int slices, int devices) {
        String text = driver + ": published, " + devices + (devices == 1 ? " device" : " devices") + " in " + slices
                + (slices == 1 ? " slice" : " slices");
        if (!text.equals(published) || told.isPresent()) {
            LOG.info(text);
            published = text;
        }
    }

    /** A conflict is no news, because somebody else may change or delete a slice at any time. */
    private void failed(IOException e) {
        backoff.failed();
        String text = String.valueOf(e.getMessage());
        boolean isAgain = text.equals(last);
        last = text;
        if (e instanceof ApiException api && (api.isOutdated() || (api.isForbidden() && !isAgain))) {
            LOG.fine(text);
        } else if (!told.equals(Optional.of(text))) {
            status = status.withProblem(text);
            LOG.warning(driver + ": devices not published, tried again: " + text);
            told = Optional.of(text);
        }
    }

    @Override
    public void close() {
        Threads.end(thread);
    }
}
