package io.edgeplug.system.programs;

import java.io.IOException;
import java.time.Duration;

/** A program that runs or has run. Another process can look for it by a written note. */
public sealed interface RunningProgram permits GroupIdentity, TransientUnit {

    /**
     * Whether any part of it runs.
     *
     * @throws IOException if that cannot be found out
     */
    boolean isAlive() throws IOException;

    /**
     * Waits until no part of it runs, up to {@code timeout}.
     *
     * @return whether no part of it runs
     */
    boolean awaitEnd(Duration timeout) throws IOException, InterruptedException;

    /**
     * Ends all of it: SIGTERM, and SIGKILL a second later.
     *
     * @return whether no part of it runs; a part in the kernel may still run
     */
    boolean end() throws IOException, InterruptedException;

    /** Its name for a person, such as {@code process group 4711}. */
    String text();
}
