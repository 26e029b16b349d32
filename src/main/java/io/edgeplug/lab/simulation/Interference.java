package io.edgeplug.lab.simulation;

import java.io.IOException;

/** Runs before a simulated kernel acts on a call. If it throws, the kernel does not act. */
public interface Interference {

    /**
     * Runs on the thread of the call.
     *
     * @throws IOException with the kernel's words, such as {@code Input/output error}
     */
    void run() throws IOException;
}
