package io.edgeplug.kubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.flow.Outcomes;
import io.edgeplug.linux.Journal;
import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * What is logged and counted of one resource's registrations; a failure that is met again and again is logged once. For one
 * thread, but for the counts.
 */
final class PluginLog {

    private static final Logger LOG = Logger.getLogger(PluginLog.class.getName());

    private final ResourceName resource;
    private final boolean isRehearsal;
    private final Outcomes registrations = new Outcomes();
    private String failure = "";

    /** The log of a resource, in which a rehearsal is not to be seen. */
    PluginLog(ResourceName resource, boolean isRehearsal) {
        this.resource = resource;
        this.isRehearsal = isRehearsal;
    }

    void registered(int devices) {
        failure = "";
        registrations.countDone();
        log(Level.INFO, "registered, " + devices + (devices == 1 ? " device" : " devices"));
    }

    /** Logs that a registration failed. */
    void refused(Level level, String reason) {
        registrations.countFailed();
        failed(level, reason);
    }

    /** How many registrations came about, and how many failed; any thread. */
    Outcomes.Counts registrations() {
        return registrations.counts();
    }

    /** Logs a failure, unless it was the last one that was logged, but for the name of a socket. */
    void failed(Level level, String reason) {
        String gist = SocketNames.withoutTags(reason);
        log(gist.equals(failure) ? Level.FINE : level, reason);
        failure = level.equals(Level.FINE) ? failure : gist;
    }

    /** Logs a failure with the kernel's words for it; an exception above them may name a socket, which is another each time. */
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
