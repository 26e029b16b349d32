package io.edgeplug.model.custody;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A record before and after what was told of its device.
 *
 * @param ids the kubelet's IDs, of the device or of its shares, whose hold has begun, ended or changed
 */
public record Change(Custody before, Custody after, SortedSet<String> ids) {

    /** What these events have changed. A hand-over changes its own IDs alone, however many shares others have. */
    static Change of(Custody before, Custody after, Event... events) {
        SortedSet<String> ids = events.length == 1 && events[0] instanceof Event.Given given
                ? differing(given.ids(), before, after)
                : differing(before, after);
        assert ids.equals(differing(before, after)) : "a hand-over has changed the holds of others";
        return new Change(before, after, ids);
    }

    private static SortedSet<String> differing(Custody before, Custody after) {
        if (before.holds().equals(after.holds())) {
            return new TreeSet<>();
        }
        Set<String> ids = new HashSet<>(before.holds().keySet());
        ids.addAll(after.holds().keySet());
        return differing(ids, before, after);
    }

    private static SortedSet<String> differing(Set<String> ids, Custody before, Custody after) {
        SortedSet<String> differing = new TreeSet<>();
        for (String id : ids) {
            if (!before.hold(id).equals(after.hold(id))) {
                boolean ignored = differing.add(id);
            }
        }
        return differing;
    }

    /** Whether the record is as it was. */
    boolean isNone() {
        return ids.isEmpty() && before.equals(after);
    }

    /** Whether the device itself is to be listed in another way, whatever happens to others. */
    public boolean isVisible() {
        return !before.problem().equals(after.problem())
                || before.isUsedUp() != after.isUsedUp()
                || (after.isUsedUp() && !before.reason().equals(after.reason()))
                || (after.holds().isEmpty() && !before.holds().isEmpty());
    }

    /** By the kubelet's ID, the holds that have ended and whose users were logged. */
    public SortedMap<String, Hold> released() {
        SortedMap<String, Hold> released = new TreeMap<>();
        for (String id : ids) {
            Optional<Hold> had = before.hold(id).filter(hold -> hold.told().isPresent());
            if (after.hold(id).flatMap(Hold::told).isEmpty()) {
                had.ifPresent(hold -> released.put(id, hold));
            }
        }
        return released;
    }

    /** Whether only what was logged or sent has changed: the same users have it, and each as the same. */
    public boolean isTelling() {
        return before.traces().equals(after.traces())
                && before.trouble().equals(after.trouble())
                && before.work().equals(after.work())
                && ids.stream().allMatch(this::hasSameUser);
    }

    private boolean hasSameUser(String id) {
        Optional<Hold> had = before.hold(id);
        Optional<Hold> has = after.hold(id);
        return had.map(Hold::resource).equals(has.map(Hold::resource))
                && had.map(Hold::group).equals(has.map(Hold::group))
                && had.map(Hold::user).equals(has.map(Hold::user));
    }
}
