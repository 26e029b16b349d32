package io.edgeplug.system.files;

import io.edgeplug.system.kernel.KernelCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** An inotify descriptor for a poll with others; see inotify(7). Any thread adds and removes, one thread reads. */
public final class Inotify {

    /** IN_CREATE, IN_MOVED_TO, IN_DELETE and IN_MOVED_FROM. */
    public static final int NAMES = 0x100 | 0x80 | 0x200 | 0x40;

    /** IN_ATTRIB. IN_MODIFY is left out, because each write to a device node would wake this process. */
    static final int ATTRIBUTES = 0x4;

    private static final int ONLY_DIRECTORIES = 0x01000000;

    private static final int BYTES = 16384;

    /** The size of struct inotify_event: a watch, a mask, a cookie, and the length of the name that follows. */
    private static final int LENGTH = 12;

    private static final int HEADER = 16;

    private final int descriptor;
    private final ByteBuffer events;

    /** How many threads use the descriptor, including the one that opened it; guarded by this. */
    private int users = 1;

    private Inotify(int descriptor) {
        this.descriptor = descriptor;
        this.events = KernelCalls.memory(BYTES);
    }

    /**
     * An event in a directory.
     *
     * @param watch of the directory, as {@link #add} returned it; negative if events were lost
     * @param name the file; empty for the directory itself
     */
    public record Event(int watch, String name) {}

    /**
     * Opens a descriptor that watches nothing yet.
     *
     * @throws IOException with the kernel's reason if it gives none
     */
    public static Inotify open() throws IOException {
        int descriptor = (int) KernelCalls.checked(KernelCalls.inotify_init1(KernelCalls.IN_NONBLOCK_CLOEXEC));
        return new Inotify(descriptor);
    }

    public int descriptor() {
        return descriptor;
    }

    /**
     * Watches the directory at that path. A directory that is already watched stays watched.
     *
     * @return the number of its watch, which another path of the same directory has too; or a negative errno(3), EBADF
     *     if this is closed
     */
    public int add(String directory, int mask) {
        if (!enter()) {
            return -KernelCalls.EBADF;
        }
        try {
            int watch = KernelCalls.inotify_add_watch(descriptor, directory, mask | ONLY_DIRECTORIES);
            return watch >= 0 ? watch : -KernelCalls.error();
        } finally {
            leave();
        }
    }

    void remove(int watch) {
        if (enter()) {
            // The kernel may have removed the watch together with its directory.
            int ignored = KernelCalls.inotify_rm_watch(descriptor, watch);
            leave();
        }
    }

    /**
     * After a close, another file may get the number of the descriptor. So it stays open as long as a thread uses it.
     */
    private synchronized boolean enter() {
        users += users > 0 ? 1 : 0;
        return users > 0;
    }

    private synchronized void leave() {
        users--;
        if (users == 0) {
            int ignored = KernelCalls.close(descriptor);
        }
    }

    /** The events so far, as many as there is room for; none if all were read. Never waits. */
    public List<Event> read() {
        long count = KernelCalls.read(descriptor, events, BYTES);
        List<Event> read = new ArrayList<>();
        int at = 0;
        while (at + HEADER <= count) {
            int length = events.getInt(at + LENGTH);
            read.add(new Event(events.getInt(at), name(at + HEADER, length)));
            at += HEADER + length;
        }
        return read;
    }

    /** The name ends at the first of several zero bytes. */
    private String name(int at, int length) {
        byte[] bytes = new byte[length];
        events.get(at, bytes);
        int end = 0;
        while (end < length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    /** Never waits for another thread that adds: the last user closes the descriptor. Call it once. */
    public void close() {
        leave();
    }
}
