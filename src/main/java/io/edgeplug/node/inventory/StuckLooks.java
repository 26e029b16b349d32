package io.edgeplug.node.inventory;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.system.systemd.Journal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The threads that have not come back from a look, and the places that must not be looked at meanwhile; thread-safe.
 */
final class StuckLooks {

    private static final Logger LOG = Logger.getLogger(StuckLooks.class.getName());

    /** If this many functions of a bus do not answer, the others would not answer either. */
    private static final int MOST_OF_A_BUS = 8;

    private static final int MOST = 32;

    /** The bus of all mount points. */
    private static final String MOUNTS = "/";

    /** By thread, the place where it was lost. */
    private final Map<Thread, String> lost = new HashMap<>();

    private final Map<String, Refusal> refused = new HashMap<>();

    /** Places from which a thread has come back since the last {@link #takeTurns}. */
    private final Set<String> slow = new HashSet<>();

    /** The reason why a place must not be looked at. */
    private record Refusal(String text, Thread by) {}

    /** Refuses a place for that reason until the thread that was lost there is back. */
    synchronized void add(Thread thread, String place, String text) {
        lost.put(thread, place);
        refused.put(place, new Refusal(text, thread));
        LOG.log(
                Level.WARNING,
                "%s: %s; the thread that waits for it is left to it, %d of at most %d"
                        .formatted(place, text, lost.size(), MOST),
                new Object[] {Journal.device(place)});
    }

    /** The reason why a place must not be looked at now. */
    synchronized Optional<String> refusal(String place) {
        if (lost.isEmpty() && refused.isEmpty()) {
            return Optional.empty();
        }
        Optional<String> own = Optional.ofNullable(refused.get(place)).map(Refusal::text);
        if (own.isPresent()) {
            return own;
        }
        String bus = bus(place);
        long there = lost.values().stream().filter(one -> bus(one).equals(bus)).count();
        if (there >= MOST_OF_A_BUS) {
            return Optional.of("is not looked at: " + there
                    + (bus.equals(MOUNTS) ? " other file systems do not answer" : " others of its bus do not answer"));
        }
        return lost.size() >= MOST
                ? Optional.of("is not looked at: " + lost.size() + " looks at others have not returned")
                : Optional.empty();
    }

    private static String bus(String place) {
        return PciAddress.parse(place)
                .map(address -> address.domain() + ":" + address.bus())
                .orElse(place.startsWith(MOUNTS) ? MOUNTS : place);
    }

    /**
     * A thread is back.
     *
     * @return whether its place may be looked at now; a place that keeps being slow waits for {@link #takeTurns},
     *     because each look delays all others
     */
    synchronized boolean remove(Thread thread, String place) {
        lost.remove(thread);
        LOG.log(Level.INFO, place + ": the look that had not returned has, and its thread is back", new Object[] {
            Journal.device(place)
        });
        boolean isRefused = Optional.ofNullable(refused.get(place))
                .filter(refusal -> refusal.by().equals(thread))
                .isPresent();
        boolean isFirst = isRefused && slow.add(place);
        if (isFirst) {
            refused.remove(place);
        }
        return isFirst;
    }

    /** Allows looks at all places whose threads are back. */
    synchronized void takeTurns() {
        Set<String> waiting = new HashSet<>();
        refused.forEach((place, refusal) -> {
            if (!lost.containsKey(refusal.by())) {
                waiting.add(place);
            }
        });
        refused.keySet().removeAll(waiting);
        slow.retainAll(waiting);
    }

    /** Forgets a place whose device is gone. The next device there is another one. */
    synchronized void forget(String place) {
        refused.remove(place);
        slow.remove(place);
    }
}
