package io.edgeplug.node.supply;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Hold;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.device.Shares;
import io.edgeplug.system.systemd.Journal;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Logs once who holds a device, and once that the device is released. The holder is logged again if the name of its pod
 * becomes known later. Holds that end while no kubelet is served are logged with the next one.
 */
final class HolderLog {

    private static final Logger LOG = Logger.getLogger(HolderLog.class.getName());

    private final Custodian custodian;

    /** By the kubelet's ID, the ends that are not logged yet. Nothing is logged under the custodian's lock. */
    private final Queue<Map.Entry<String, Hold>> released = new ConcurrentLinkedQueue<>();

    HolderLog(Custodian custodian) {
        this.custodian = custodian;
        custodian.addListener(change -> released.addAll(change.released().entrySet()));
    }

    /** Logs what has changed. A pod without a name is logged once the kubelet has answered, by its UID if necessary. */
    void follow(Predicate<String> wasAskedAbout, Predicate<String> isOurs) {
        for (Map.Entry<String, Hold> end = released.poll(); end != null; end = released.poll()) {
            log(
                    end.getKey(),
                    end.getValue(),
                    "released by " + end.getValue().told().orElseThrow());
        }
        for (Custody one : custodian.all()) {
            one.holds().forEach((id, hold) -> {
                if (!hold.isGrant() && (hold.told().isPresent() || isOurs.test(hold.resource()))) {
                    tell(id, hold, wasAskedAbout);
                }
            });
        }
    }

    private void tell(String id, Hold hold, Predicate<String> wasAskedAbout) {
        String name = hold.user().name();
        boolean isNamed = !(hold.user() instanceof User.Pod pod) || pod.isNamed();
        boolean isBetter =
                isNamed && hold.told().filter(one -> !one.equals(name)).isPresent();
        boolean isNew = hold.told().isEmpty()
                && (isNamed || wasAskedAbout.test(hold.user().uid()));
        if (isBetter || isNew) {
            String earlier =
                    hold.told().map(one -> ", which was logged as " + one).orElse("");
            log(id, hold, "held by " + name + earlier);
            custodian.tell(Shares.whole(id), new Event.Told(id, name));
        }
    }

    private static void log(String id, Hold hold, String text) {
        LOG.log(Level.INFO, id + ": " + text, new Object[] {Journal.device(id), Journal.resource(hold.resource())});
    }
}
