package io.edgeplug.linux;

import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Signals to this process, waited for instead of handled: the thread that waits then ends its work in order.
 *
 * <p>The JDK's own shutdown hooks would run beside that work, and end the process with 143.
 */
public final class Signals {

    private Signals() {}

    /** From now on, SIGTERM and SIGINT end {@link Termination#await} and nothing else, and SIGHUP is ignored. */
    public static Termination onTermination() {
        CountDownLatch received = new CountDownLatch(1);
        for (String name : List.of("TERM", "INT")) {
            sun.misc.Signal.handle(new sun.misc.Signal(name), signal -> received.countDown());
        }
        sun.misc.Signal.handle(new sun.misc.Signal("HUP"), sun.misc.SignalHandler.SIG_IGN);
        return new Termination(received);
    }

    /** The wish that this process ends. */
    public static final class Termination {

        private final CountDownLatch received;

        private Termination(CountDownLatch received) {
            this.received = received;
        }

        /** Waits for SIGTERM or SIGINT, which may have come already. */
        public void await() throws InterruptedException {
            received.await();
        }
    }
}
