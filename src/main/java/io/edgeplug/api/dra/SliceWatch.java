package io.edgeplug.api.dra;

import io.edgeplug.system.files.ForeignJson;
import io.edgeplug.system.flow.Front;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;

/** Follows the changes of a list of slices until the watch ends, on a thread of its own. */
final class SliceWatch implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(SliceWatch.class.getName());

    /** If more slices than this have news, the watch ends, and all slices are listed again. */
    private static final int MAX_HEARD = 1024;

    /** One slice of 64 devices is about 100 KiB. */
    private static final int MAX_EVENT = 1 << 20;

    private final ApiServer api;
    private final Duration patience;
    private final Runnable wake;

    /** By the name of a slice, the newest version that was reported; empty if the slice is gone. */
    private final Map<String, Optional<String>> heard = new ConcurrentHashMap<>();

    private final Thread thread;
    private volatile boolean isOver;

    /**
     * Starts a watch.
     *
     * @param wake run after each event, and when the watch has ended
     */
    SliceWatch(ApiServer api, ApiRequest request, Duration patience, Runnable wake) {
        this.api = api;
        this.patience = patience;
        this.wake = wake;
        this.thread = Front.DRA.virtual("slice watch").start(() -> follow(request));
    }

    private void follow(ApiRequest request) {
        boolean ignored = Front.DRA.attempt(() -> watch(request));
        isOver = true;
        wake.run();
    }

    private void watch(ApiRequest request) {
        try {
            api.watch(request, patience, MAX_EVENT, SliceEvent.MAX_BYTES, this::hear);
        } catch (IOException e) {
            LOG.fine(() -> "the watch of slices has ended: " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean hear(ForeignJson json) throws IOException {
        SliceEvent event = SliceEvent.read(json);
        switch (event.type()) {
            case "BOOKMARK" -> {}
            case "ADDED", "MODIFIED" -> heard.put(event.name(), Optional.of(event.version()));
            case "DELETED" -> heard.put(event.name(), Optional.empty());
            default -> isOver = true;
        }
        isOver |= heard.size() > MAX_HEARD;
        wake.run();
        return !isOver;
    }

    boolean isOver() {
        return isOver;
    }

    /** The names of slices with news that was not taken yet. */
    List<String> names() {
        return List.copyOf(heard.keySet());
    }

    /** Takes the newest reported version of a slice; empty if the slice is gone. */
    Optional<String> take(String name) {
        return Optional.ofNullable(heard.remove(name)).flatMap(one -> one);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
