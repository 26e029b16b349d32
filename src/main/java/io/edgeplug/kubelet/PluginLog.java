package io.edgeplug.kubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.flow.Outcomes;
import io.edgeplug.linux.Journal;
import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Logs and counts the registrations of one resource. A repeated failure is logged once. One thread uses it, but any may
 * read the counts.
 */
final class PluginLog {

    private static final Logger LOG = Logger.getLogger(PluginLog.class.getName());

    private final ResourceName resource;
    private final boolean isRehearsal;
    private final Outcomes registrations = new Outcomes();
    private String failure = "";

    /** The log of a resource. Nothing of a rehearsal is logged. */
    PluginLog(ResourceName resource, boolean isRehearsal) {
        this.resource = resource;
        this.isRehearsal = isRehearsal;
    }

    void registered(int devices, boolean isClaimed) {
        failure = "";
        registrations.countDone();
        String count =
                isClaimed ? "without devices: pods claim them" : devices + (devices == 1 ? " device" : " devices");
        log(Level.INFO, "registered, " + count);
    }

    /** Logs that a registration failed. */
    void refused(Level level, String reason) {
        registrations.countFailed();
        failed(level, reason);
    }

    /** How many registrations succeeded and failed; any thread. */
    Outcomes.Counts registrations() {
        return registrations.counts();
    }

    /** Logs a failure, unless it equals the last logged one except for the name of a socket. */
    void failed(Level level, String reason) {
        String gist = SocketNames.withoutTags(reason);
        log(gist.equals(failure) ? Level.FINE : level, reason);
        failure = level.equals(Level.FINE) ? failure : gist;
    }

    /** Logs a failure with the kernel's words for it. Outer exceptions may name a socket, which differs each time. */
    void failed(Level level, String problem, IOException e) {
        failed(level, problem + ": " + root(e));
    }

    private static String root(Throwable e) {
        Throwable cause = e.getCause();
        return cause == null ? String.valueOf(e.getMessage()) : root(cause);
    }

    void log(Level level, String what) {
        LOG.log(isRehearsal ? Level.FINER : level, resource + ": " + what, Journal.resource(resource));
    }
}
