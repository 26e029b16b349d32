package io.edgeplug.linux;

import java.io.IOException;
import java.time.Duration;

/** A program that runs or did, which another process can look for by what was written down of it. */
public sealed interface RunningProgram permits GroupIdentity, TransientUnit {

    /**
     * Whether anything of it runs.
     *
     * @throws IOException if nobody tells
     */
    boolean isAlive() throws IOException;

    /**
     * Waits until nothing of it runs, for at most {@code timeout}.
     *
     * @return whether nothing does
     */
    boolean awaitEnd(Duration timeout) throws IOException, InterruptedException;

    /**
     * Ends all of it: SIGTERM, and SIGKILL a second later.
     *
     * @return whether nothing runs; what is in the kernel may
     */
    boolean end() throws IOException, InterruptedException;

    /** What it is to a person who looks for it: {@code process group 4711}. */
    String text();
}
