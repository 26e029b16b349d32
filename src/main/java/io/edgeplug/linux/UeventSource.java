package io.edgeplug.linux;

import java.util.Optional;

/** Where uevents come from: the kernel of this node, or a simulated one. */
public interface UeventSource extends AutoCloseable {

    /** Waits for the next uevent; empty once this is closed. One thread at a time. */
    Optional<Uevent> next();

    /** Ends {@link #next}, from any thread. */
    @Override
    void close();
}
