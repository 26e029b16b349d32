package io.edgeplug.system.kernel;

import io.edgeplug.system.flow.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Signals to this process, which a thread waits for instead of a handler. The thread then acts on them in order.
 *
 * <p>The JDK's shutdown hooks would run beside that work, and end the process with 143.
 */
public final class Signals {

    private boolean end;
    private boolean reload;
    private Deadline quiet = Deadline.in(Duration.ZERO);

    private Signals() {}

    /** The request of a signal. */
    public enum Request {
        /** Stop cleanly: SIGTERM or SIGINT. */
        END,
        /** Read the configuration again: SIGHUP. */
        RELOAD
    }

    /** From now on, SIGTERM and SIGINT only end {@link #awaitEnd}, and SIGHUP is ignored. */
    public static Signals ofCommand() {
        Signals signals = new Signals();
        signals.takeTermination();
        Signal.handle(new Signal("HUP"), SignalHandler.SIG_IGN);
        return signals;
    }

    /** From now on, {@link #next} returns SIGTERM, SIGINT and SIGHUP, which have no other effect. */
    public static Signals ofService() {
        Signals signals = new Signals();
        signals.takeTermination();
        Signal.handle(new Signal("HUP"), signal -> signals.ask(Request.RELOAD));
        return signals;
    }

    private void takeTermination() {
        for (String name : List.of("TERM", "INT")) {
            Signal.handle(new Signal(name), signal -> ask(Request.END));
        }
    }

    private synchronized void ask(Request request) {
        end |= request == Request.END;
        reload |= request == Request.RELOAD;
        notifyAll();
    }

    /** Waits for a signal, which may have come already. A request to stop comes before all others, and stays. */
    public synchronized Request next() throws InterruptedException {
        while (!end && !(reload && quiet.isOver())) {
            if (reload) {
                TimeUnit.MILLISECONDS.timedWait(this, Math.max(1, quiet.left().toMillis()));
            } else {
                wait();
            }
        }
        if (end) {
            return Request.END;
        }
        reload = false;
        return Request.RELOAD;
    }

    /** Lets the next reload wait for that time. Requests that come meanwhile are one. A request to stop does not wait. */
    public synchronized void pauseReloads(Duration time) {
        quiet = Deadline.in(time);
    }

    /** Waits for SIGTERM or SIGINT, which may have come already. */
    public synchronized void awaitEnd() throws InterruptedException {
        while (!end) {
            wait();
        }
    }
}
