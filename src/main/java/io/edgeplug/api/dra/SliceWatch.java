package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import com.google.gson.stream.MalformedJsonException;
import io.edgeplug.system.files.ForeignFile.TooLargeException;
import io.edgeplug.system.files.ForeignJson;
import io.edgeplug.system.flow.Front;
import java.io.EOFException;
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

    /**
     * What a watch reports of a slice.
     *
     * @param type what has happened, in Kubernetes' words; empty if the event cannot be read
     * @param name the name of the slice
     * @param version its {@code resourceVersion}
     */
    record SliceEvent(String type, String name, String version) {

        /** Some names take less than this, and others could fill the memory. */
        static final int MAX_BYTES = 64 << 10;

        private static final NeededFields FIELDS =
                new NeededFields("type", "object/metadata/name", "object/metadata/resourceVersion");

        private static final List<String> NAMELESS = List.of("BOOKMARK", "ERROR");

        private static final SliceEvent UNREADABLE = new SliceEvent("", "", "");

        /**
         * Reads an event, which is then wholly read. Kubernetes writes the type first. Names are those of Kubernetes, so
         * longer ones cannot be read, and would only fill the memory.
         */
        static SliceEvent read(ForeignJson json) throws IOException {
            try {
                JsonObject event = FIELDS.read(json, MAX_BYTES);
                JsonObject metadata = Json.object(Json.object(event, "object"), "metadata");
                SliceEvent read = new SliceEvent(
                        Json.text(event, "type"), Json.text(metadata, "name"), Json.text(metadata, "resourceVersion"));
                boolean isNamed = NAMELESS.contains(read.type) || !read.name.isEmpty();
                return isNamed && Math.max(read.name.length(), read.version.length()) <= Json.MAX_NAME
                        ? read
                        : UNREADABLE;
            } catch (MalformedJsonException | EOFException | TooLargeException | IllegalStateException e) {
                return UNREADABLE;
            }
        }
    }

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
