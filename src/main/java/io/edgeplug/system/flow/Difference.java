package io.edgeplug.system.flow;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The difference of two lists that are mostly equal. Of thousands of devices one or two change at a time, and the
 * others need no further work.
 *
 * @param head the equal beginning, in the objects of the old list
 * @param removed the elements of the old list after the head
 * @param added the elements of the new list in their place
 * @param tail the equal end, in the objects of the old list
 */
public record Difference<T>(List<T> head, List<T> removed, List<T> added, List<T> tail) {

    /**
     * The difference of two lists, which must not change while it is used. Identical objects are not compared further.
     */
    public static <T> Difference<T> of(List<T> before, List<T> after) {
        if (isOne(before, after)) {
            return new Difference<>(before, List.of(), List.of(), List.of());
        }
        // Arrays are used because the get method of some lists takes several times as long.
        Object[] old = before.toArray();
        Object[] now = after.toArray();
        int shorter = Math.min(old.length, now.length);
        int head = 0;
        while (head < shorter && isSame(old[head], now[head])) {
            head++;
        }
        int tail = 0;
        while (tail < shorter - head && isSame(old[old.length - 1 - tail], now[now.length - 1 - tail])) {
            tail++;
        }
        return new Difference<>(
                before.subList(0, head),
                before.subList(head, before.size() - tail),
                after.subList(head, after.size() - tail),
                before.subList(before.size() - tail, before.size()));
    }

    private static boolean isSame(Object one, Object other) {
        // The equals method of records takes several times as long to find identity.
        return isOne(one, other) || one.equals(other);
    }

    @SuppressWarnings("ReferenceEquality") // it is what is asked for
    private static boolean isOne(Object one, Object other) {
        return one == other;
    }

    /** Whether both lists are equal. */
    public boolean isEmpty() {
        return removed.isEmpty() && added.isEmpty();
    }

    /** The difference to a list with {@code others} in place of the added elements. Looks at nothing else. */
    public Difference<T> withAdded(List<T> others) {
        Difference<T> rest = of(removed, others);
        return new Difference<>(joined(head, rest.head()), rest.removed(), rest.added(), joined(rest.tail(), tail));
    }

    private static <T> List<T> joined(List<T> one, List<T> other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() ? other : one;
        }
        List<T> joined = new ArrayList<>(one.size() + other.size());
        joined.addAll(one);
        joined.addAll(other);
        return Collections.unmodifiableList(joined);
    }

    /** The new list, in the objects of the old list where they are equal. It never changes. */
    public List<T> after() {
        List<T> after = new ArrayList<>(head.size() + added.size() + tail.size());
        after.addAll(head);
        after.addAll(added);
        after.addAll(tail);
        return Collections.unmodifiableList(after);
    }
}
