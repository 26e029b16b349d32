package io.edgeplug.linux;

import java.nio.charset.StandardCharsets;
import jnr.ffi.Pointer;

/**
 * Tells when the socket on which udevd takes commands comes or goes: an inotify descriptor, to be polled with others. One
 * thread at a time.
 */
final class UdevdWatch {

    private static final String DIRECTORY = "/run/udev";
    private static final byte[] CONTROL = "control\0".getBytes(StandardCharsets.US_ASCII);
    private static final int BYTES = 4096;

    /** Of struct inotify_event: a descriptor, a mask, a cookie, and how long the name is that follows. */
    private static final int LENGTH = 12;

    private static final int HEADER = 16;

    private final Udev udev;
    private final int descriptor;
    private final Pointer events;
    private boolean isWatching;

    private UdevdWatch(Udev udev, int descriptor) {
        this.udev = udev;
        this.descriptor = descriptor;
        this.events = Udev.memory(udev, BYTES);
    }

    /** Begins to watch, if the directory is there. */
    static UdevdWatch open(Udev udev) {
        UdevdWatch watch = new UdevdWatch(udev, udev.inotify_init1(Udev.IN_NONBLOCK_CLOEXEC));
        watch.follow();
        return watch;
    }

    /** Watches the directory that has the name now. */
    void follow() {
        isWatching = udev.inotify_add_watch(descriptor, DIRECTORY, Udev.IN_NAMES) >= 0;
    }

    boolean isWatching() {
        return isWatching;
    }

    int descriptor() {
        return descriptor;
    }

    /** Whether, of all that happened in the directory since it was asked last, anything was with the socket. */
    boolean hasChanged() {
        boolean changed = false;
        for (long count = read(); count > 0; count = read()) {
            int at = 0;
            while (at + HEADER <= count) {
                int length = events.getInt(at + LENGTH);
                // without a name it is of the directory: gone, or too much happened to tell
                changed |= length == 0 || isControl(at + HEADER, length);
                at += HEADER + length;
            }
        }
        return changed;
    }

    private boolean isControl(int at, int length) {
        for (int i = 0; i < CONTROL.length; i++) {
            if (i >= length || events.getByte(at + i) != CONTROL[i]) {
                return false;
            }
        }
        return true;
    }

    private long read() {
        return udev.read(descriptor, events, BYTES);
    }

    void close() {
        udev.close(descriptor);
    }
}
