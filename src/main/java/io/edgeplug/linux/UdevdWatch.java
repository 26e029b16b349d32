package io.edgeplug.linux;

import java.io.IOException;
import java.util.List;

/**
 * Reports when udevd's control socket comes or goes: an inotify descriptor for a poll with others. One thread at a
 * time.
 */
final class UdevdWatch {

    private static final String DIRECTORY = "/run/udev";
    private static final String CONTROL = "control";

    private final Inotify inotify;
    private boolean isWatching;

    private UdevdWatch(Inotify inotify) {
        this.inotify = inotify;
    }

    /** Begins to watch, if the directory exists. */
    static UdevdWatch open(Udev udev) throws IOException {
        UdevdWatch watch = new UdevdWatch(Inotify.open(udev));
        watch.follow();
        return watch;
    }

    /** Watches the directory that has the name now. */
    void follow() {
        isWatching = inotify.add(DIRECTORY, Inotify.NAMES) >= 0;
    }

    boolean isWatching() {
        return isWatching;
    }

    int descriptor() {
        return inotify.descriptor();
    }

    /** Whether any event since the last call was about the socket. */
    boolean hasChanged() {
        boolean changed = false;
        for (List<Inotify.Event> events = inotify.read(); !events.isEmpty(); events = inotify.read()) {
            // An event without a name means that the directory is gone or that events were lost.
            changed |= events.stream()
                    .anyMatch(event -> event.name().isEmpty() || event.name().equals(CONTROL));
        }
        return changed;
    }

    void close() {
        inotify.close();
    }
}
