package io.edgeplug.api.kubelet;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.system.flow.Outcomes;
import io.edgeplug.system.systemd.Journal;
import java.io.IOException;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Logs and counts the registrations of one resource. A repeated failure is logged once. One thread uses it, but any may
 * read the counts.
 */
final class PluginLog {

    private static final Logger LOG = Logger.getLogger(PluginLog.class.getName());

    private final DeviceClass deviceClass;
    private final boolean isRehearsal;
    private final Outcomes registrations = new Outcomes();
    private String failure = "";

    /** The log of a class. Nothing of a rehearsal is logged. */
    PluginLog(DeviceClass deviceClass, boolean isRehearsal) {
        this.deviceClass = deviceClass;
        this.isRehearsal = isRehearsal;
    }

    /** Logs that the kubelet has a list of so many devices or shares. */
    void registered(int listed) {
        failure = "";
        registrations.countDone();
        String one = deviceClass.sharing().isShared() ? " share" : " device";
        log(
                Level.INFO,
                deviceClass.isClaimed()
                        ? "registered, without devices: pods claim them"
                        : "registered, " + listed + one + (listed == 1 ? "" : "s"));
    }

    void refused(Level level, String reason) {
        registrations.countFailed();
        failed(level, reason);
    }

    /** How many registrations succeeded and failed; any thread. */
    Outcomes.Counts registrations() {
        return registrations.counts();
    }

    /** Logs another state of a registration, for debugging. */
    void changed(RegistrationState old, RegistrationState now) {
        if (LOG.isLoggable(Level.FINE)) {
            log(Level.FINE, old + " -> " + now);
        }
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
        ResourceName resource = deviceClass.resource();
        LOG.log(isRehearsal ? Level.FINER : level, resource + ": " + what, Journal.resource(resource));
    }
}
