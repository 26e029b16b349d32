package io.edgeplug.flow;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Where two lists differ that are mostly the same: of thousands of devices one or two change at once, and whoever works
 * out something of each need not do so for the others.
 *
 * @param head what both begin with, in the objects of the list before
 * @param removed what is then in the list before
 * @param added what is there instead
 * @param tail what both end with, in the objects of the list before
 */
public record Difference<T>(List<T> head, List<T> removed, List<T> added, List<T> tail) {

    /** Of two lists that nobody changes while the difference is used; what is the same object is not looked into. */
    public static <T> Difference<T> of(List<T> before, List<T> after) {
        if (isOne(before, after)) {
            return new Difference<>(before, List.of(), List.of(), List.of());
        }
        // arrays, since each list's own get takes several times as long
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
        // a record's own equals takes several times as long to find that out
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

    /** From the same list before to one that has {@code others} in the place of what was added; looks at nothing else. */
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

    /** The list after, in the objects of the list before where they are equal; nobody changes it. */
    public List<T> after() {
        List<T> after = new ArrayList<>(head.size() + added.size() + tail.size());
        after.addAll(head);
        after.addAll(added);
        after.addAll(tail);
        return Collections.unmodifiableList(after);
    }
}
