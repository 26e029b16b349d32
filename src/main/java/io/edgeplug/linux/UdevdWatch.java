package io.edgeplug.linux;

import java.io.IOException;
import java.util.List;

/**
 * Tells when the socket on which udevd takes commands comes or goes: an inotify descriptor, to be polled with others. One
 * thread at a time.
 */
final class UdevdWatch {

    private static final String DIRECTORY = "/run/udev";
    private static final String CONTROL = "control";

    private final Inotify inotify;
    private boolean isWatching;

    private UdevdWatch(Inotify inotify) {
        this.inotify = inotify;
    }

    /** Begins to watch, if the directory is there. */
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

    /** Whether, of all that happened in the directory since it was asked last, anything was with the socket. */
    boolean hasChanged() {
        boolean changed = false;
        for (List<Inotify.Event> events = inotify.read(); !events.isEmpty(); events = inotify.read()) {
            // without a name it is of the directory: gone, or too much happened to tell
            changed |= events.stream()
                    .anyMatch(event -> event.name().isEmpty() || event.name().equals(CONTROL));
        }
        return changed;
    }

    void close() {
        inotify.close();
    }
}
