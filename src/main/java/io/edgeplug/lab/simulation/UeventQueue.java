package io.edgeplug.lab.simulation;

import io.edgeplug.system.udev.Uevent;
import io.edgeplug.system.udev.UeventSource;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;

/** The uevents since it was opened, in order. Unread ones are lost when it is closed. */
final class UeventQueue implements UeventSource {

    private final Queue<Uevent> pending = new ArrayDeque<>();
    private boolean closed;

    synchronized void add(Uevent uevent) {
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
