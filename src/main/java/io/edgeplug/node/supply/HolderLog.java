package io.edgeplug.node.supply;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Hold;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.device.Shares;
import io.edgeplug.system.systemd.Journal;
import java.util.Optional;
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

    /** What the custodian has taken up and is not logged yet, in its order. Nothing is logged under its lock. */
    private final Queue<Line> lines = new ConcurrentLinkedQueue<>();

    private record Line(String id, Hold hold, String text) {}

    HolderLog(Custodian custodian) {
        this.custodian = custodian;
        custodian.addListener(this::note);
    }

    private void note(Custodian.Change change) {
        change.released()
                .forEach((id, hold) -> lines.add(
                        new Line(id, hold, "released by " + hold.told().orElseThrow())));
        change.after().holds().forEach((id, hold) -> {
            Optional<String> earlier =
                    Optional.ofNullable(change.before().holds().get(id)).flatMap(Hold::told);
            if (hold.told().isPresent() && !hold.told().equals(earlier)) {
                String renamed =
                        earlier.map(name -> ", which was logged as " + name).orElse("");
                lines.add(new Line(id, hold, "held by " + hold.told().orElseThrow() + renamed));
            }
        });
    }

    /** Logs what has changed. A pod without a name is logged once the kubelet has answered, by its UID if necessary. */
    void follow(Predicate<String> wasAskedAbout, Predicate<String> isOurs) {
        for (Custody one : custodian.all()) {
            one.holds().forEach((id, hold) -> {
                if (!hold.isGrant() && (hold.told().isPresent() || isOurs.test(hold.resource()))) {
                    tell(id, hold, wasAskedAbout);
                }
            });
        }
        for (Line line = lines.poll(); line != null; line = lines.poll()) {
            log(line.id(), line.hold(), line.text());
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
            custodian.tell(Shares.whole(id), new Event.Told(id, hold.user(), name));
        }
    }

    private static void log(String id, Hold hold, String text) {
        LOG.log(Level.INFO, id + ": " + text, new Object[] {Journal.device(id), Journal.resource(hold.resource())});
    }
}
