package io.edgeplug.system.udev;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/** The uevents since it was opened, in order. Unread ones are lost when it is closed. */
public final class UeventQueue implements UeventSource {

    private final Queue<Uevent> pending = new ArrayDeque<>();
    private boolean closed;

    public synchronized void add(Uevent uevent) {
        if (!closed) {
            pending.add(uevent);
            notifyAll();
        }
    }

    /** {@inheritDoc} An interrupt also ends it, and stays set. */
    @Override
    public synchronized Optional<Uevent> next() {
        try {
            while (!closed && pending.isEmpty()) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return Optional.empty();
        }
        return Optional.ofNullable(pending.poll());
    }

    @Override
    public synchronized void close() {
        closed = true;
        pending.clear();
        notifyAll();
    }
}
