package io.edgeplug.system.programs;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import jnr.posix.POSIX;
import jnr.posix.POSIXFactory;

/** Signals for all processes of a group, which the JDK does not send; see kill(2). Any thread. */
final class GroupSignals {

    static final int SIGKILL = 9;
    static final int SIGTERM = 15;

    private GroupSignals() {}

    /**
     * Loads the library. A program is only started if it can be killed.
     *
     * @throws IOException if the library cannot be loaded
     */
    static void load() throws IOException {
        try {
            boolean ignored = Posix.CALLS.isNative();
        } catch (LinkageError e) {
            throw new IOException("it could not be killed: " + e, e);
        }
    }

    /** Sends a signal. Nothing happens if the group has no members. */
    static void send(long group, int signal) {
        int ignored = Posix.CALLS.kill(-group, signal);
    }

    private static POSIX loadNow() {
        // Making classes at run time would cost more than their calls save.
        System.setProperty("jnr.ffi.asm.enabled", "false");
        return POSIXFactory.getNativePOSIX();
    }

    /** Loaded on a thread of its own: on an interrupted one it would fail, and after that nobody could load it again. */
    private static final class Posix {

        private static final POSIX CALLS = CompletableFuture.supplyAsync(
                        GroupSignals::loadNow,
                        loading -> Thread.ofPlatform()
                                .name("loading posix")
                                .daemon()
                                .start(loading))
                .join();

        private Posix() {}
    }
}
