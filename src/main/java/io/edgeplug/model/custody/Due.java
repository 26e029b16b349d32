package io.edgeplug.model.custody;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What must happen next to a device with traces. The same after a start of the daemon as after any event. */
public sealed interface Due {

    /** How often to look for the last processes of a pod, since nobody reports their end. */
    Duration ENDING_LOOK = Duration.ofMillis(500);

    /** Nothing until an event comes. */
    record Nothing() implements Due {}

    /** To look again after that time at the latest. */
    record Later(Duration pause) implements Due {}

    /** Its scrub can begin. */
    record Scrub() implements Due {}

    /** Only a person can decide; the text says what. */
    record Obstacle(String text) implements Due {}

    /**
     * What is due.
     *
     * @param isKinHeld whether somebody has another device that a scrub of this one would change
     * @param isHere whether the device is on the node
     * @param isRead whether it is known who holds what
     * @param obstacle why only a person can decide; else null
     */
    static Due of(
            Custody custody, boolean isKinHeld, boolean isHere, boolean isRead, @Nullable String obstacle, long now) {
        if (custody.traces().isEmpty()) {
            return new Nothing();
        }
        if (obstacle != null) {
            return new Obstacle(obstacle);
        }
        if (custody.work().isPresent() || !isHere || !isRead) {
            return new Nothing();
        }
        Optional<Duration> pause = custody.trouble()
                .filter(one -> one.kind() == Trouble.Kind.SCRUB)
                .map(one -> one.left(now))
                .filter(left -> left.isPositive());
        if (pause.isPresent()) {
            return new Later(pause.orElseThrow());
        }
        Traces traces = custody.traces().orElseThrow();
        if (!traces.isReleased() && traces.mayRun()) {
            // The end of a user who is noted is an event. Only that of a last process must be looked for.
            return custody.isHeldByOneOf(traces.users()) ? new Nothing() : new Later(ENDING_LOOK);
        }
        return objection(custody, isKinHeld).isPresent() ? new Nothing() : new Scrub();
    }

    /**
     * Why a scrub must not begin: the users have not gone, or somebody else has the device whose start does not wait
     * for it. A share with which no container has started is no reason. Empty if it may. The text continues a sentence
     * about the device.
     */
    static Optional<String> objection(Custody custody, boolean isKinHeld) {
        Optional<Traces> traces = custody.traces();
        for (Map.Entry<String, Hold> entry : custody.holds().entrySet()) {
            Hold hold = entry.getValue();
            boolean isUser = traces.filter(left -> !left.isReleased()
                            && left.users().contains(hold.user().uid()))
                    .isPresent();
            // The others who have shares do not wait for a pod that may never start.
            boolean isShareAtRest = !entry.getKey().equals(custody.id())
                    && !hold.hasStarted()
                    && hold.before().isEmpty();
            if (isUser || (hold.starts() == 0 && !isShareAtRest)) {
                return Optional.of("is held by " + hold.user().name());
            }
        }
        if (isKinHeld) {
            return Optional.of("is part of a function of which a pod holds another part");
        }
        return traces.filter(left -> !left.isReleased() && left.mayRun())
                .map(left -> "is used by processes of a pod that have not ended yet");
    }
}
