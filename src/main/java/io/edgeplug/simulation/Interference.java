package io.edgeplug.simulation;

import java.io.IOException;

/** What happens when a simulated kernel is told something, before it acts; it does not act if this throws. */
public interface Interference {

    /**
     * Happens, on the thread that writes.
     *
     * @throws IOException with the kernel's words, as {@code Input/output error}
     */
    void run() throws IOException;
}
