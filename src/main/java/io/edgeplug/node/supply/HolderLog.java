package io.edgeplug.node.supply;

import io.edgeplug.model.custody.Change;
import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Hold;
import io.edgeplug.model.custody.User;
import io.edgeplug.system.systemd.Journal;
import io.edgeplug.system.systemd.LogLimit;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
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

    /** A node may start with hundreds of held devices, but a damaged checkpoint must not fill the log. */
    static final int MAX_LINES = 1000;

    private final LogLimit limit = new LogLimit(MAX_LINES, Duration.ofMinutes(1));
    private final Custodian custodian;

    /** What the custodian has taken up and is not logged yet, in its order. Nothing is logged under its lock. */
    private final Queue<Line> lines = new ConcurrentLinkedQueue<>();

    /**
     * A line, whose text is made when it is logged: there may be thousands.
     *
     * @param earlier the name in an earlier line, if the holder has another name now
     */
    private record Line(String id, Hold hold, boolean isReleased, Optional<String> earlier) {

        String text() {
            return id
                    + (isReleased ? ": released by " : ": held by ")
                    + hold.told().orElseThrow()
                    + earlier.map(name -> ", which was logged as " + name).orElse("");
        }
    }

    HolderLog(Custodian custodian) {
        this.custodian = custodian;
        custodian.addListener(this::note);
    }

    private void note(Change change) {
        change.released().forEach((id, hold) -> lines.add(new Line(id, hold, true, Optional.empty())));
        for (String id : change.ids()) {
            Optional<String> earlier = change.before().hold(id).flatMap(Hold::told);
            change.after()
                    .hold(id)
                    .filter(hold -> hold.told().isPresent() && !hold.told().equals(earlier))
                    .ifPresent(hold -> lines.add(new Line(id, hold, false, earlier)));
        }
    }

    /** Logs what has changed. A pod without a name is logged once the kubelet has answered, by its UID if necessary. */
    void follow(Predicate<String> wasAskedAbout, Predicate<String> isOurs) {
        // A pod with thousands of shares has one name in memory.
        Map<User, String> names = new HashMap<>();
        for (Custody one : custodian.all()) {
            // Of a device with thousands of shares, all are told in one step.
            Map<String, Event.Name> told = new HashMap<>();
            one.holds().forEach((id, hold) -> {
                if (!hold.isGrant() && (hold.told().isPresent() || isOurs.test(hold.resource()))) {
                    String name = names.computeIfAbsent(hold.user(), User::name);
                    if (isDue(hold, name, wasAskedAbout)) {
                        told.put(id, new Event.Name(hold.user(), name));
                    }
                }
            });
            if (!told.isEmpty()) {
                custodian.tell(one.id(), new Event.Told(told));
            }
        }
        for (Line line = lines.poll(); line != null; line = lines.poll()) {
            log(line);
        }
    }

    private static boolean isDue(Hold hold, String name, Predicate<String> wasAskedAbout) {
        boolean isNamed = !(hold.user() instanceof User.Pod pod) || pod.isNamed();
        boolean isBetter =
                isNamed && hold.told().filter(one -> !one.equals(name)).isPresent();
        boolean isNew = hold.told().isEmpty()
                && (isNamed || wasAskedAbout.test(hold.user().uid()));
        return isBetter || isNew;
    }

    private void log(Line line) {
        Object[] fields = {
            Journal.device(line.id()), Journal.resource(line.hold().resource())
        };
        limit.line(line.text()).ifPresent(text -> LOG.log(Level.INFO, text, fields));
    }
}
