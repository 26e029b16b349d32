package io.edgeplug.linux;

import java.util.List;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Signals to this process, waited for instead of handled: the thread that waits then does in order what they ask.
 *
 * <p>The JDK's own shutdown hooks would run beside that work, and end the process with 143.
 */
public final class Signals {

    private boolean end;
    private boolean reload;

    private Signals() {}

    /** What a signal asks for. */
    public enum Request {
        /** To end in order: SIGTERM or SIGINT. */
        END,
        /** To read the configuration again: SIGHUP. */
        RELOAD
    }

    /** From now on, SIGTERM and SIGINT end {@link #awaitEnd} and nothing else, and SIGHUP is ignored. */
    public static Signals ofCommand() {
        Signals signals = new Signals();
        signals.takeTermination();
        Signal.handle(new Signal("HUP"), SignalHandler.SIG_IGN);
        return signals;
    }

    /** From now on, SIGTERM, SIGINT and SIGHUP are what {@link #next} returns, and do nothing else. */
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

    /** Waits for a signal, which may have come already; the end is asked for once and for all, and before all else. */
    public synchronized Request next() throws InterruptedException {
        while (!end && !reload) {
            wait();
        }
        if (end) {
            return Request.END;
        }
        reload = false;
        return Request.RELOAD;
    }

    /** Waits for SIGTERM or SIGINT, which may have come already. */
    public synchronized void awaitEnd() throws InterruptedException {
        while (!end) {
            wait();
        }
    }
}
