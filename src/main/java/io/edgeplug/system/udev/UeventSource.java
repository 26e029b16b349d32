package io.edgeplug.system.udev;

import java.util.Optional;

/** A source of uevents: the kernel of this node, a simulated one, or none. */
public interface UeventSource extends AutoCloseable {

    /** Waits for the next uevent; empty once this is closed. One thread at a time. */
    Optional<Uevent> next();

    /** Ends {@link #next}, from any thread. */
    @Override
    void close();

    /** A source without events, for a node that is only a directory. */
    static UeventSource silent() {
        return new UeventQueue();
    }
}
