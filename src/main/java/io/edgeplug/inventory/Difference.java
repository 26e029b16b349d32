package io.edgeplug.inventory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Where two lists differ that are mostly the same: of thousands of devices one or two change at once, and whoever works
 * out something of each need not do so for the others.
 *
 * @param head what both begin with, in the objects of the list before
 * @param was what is then in the list before
 * @param is what is there instead
 * @param tail what both end with, in the objects of the list before
 */
public record Difference<T>(List<T> head, List<T> was, List<T> is, List<T> tail) {

    /** Of two lists that nobody changes while the difference is used; what is the same object is not looked into. */
    public static <T> Difference<T> of(List<T> before, List<T> after) {
        if (isOne(before, after)) {
            return new Difference<>(before, List.of(), List.of(), List.of());
        }
        // arrays, since each list's own get takes several times as long
        Object[] was = before.toArray();
        Object[] is = after.toArray();
        int shorter = Math.min(was.length, is.length);
        int head = 0;
        while (head < shorter && isSame(was[head], is[head])) {
            head++;
        }
        int tail = 0;
        while (tail < shorter - head && isSame(was[was.length - 1 - tail], is[is.length - 1 - tail])) {
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
        return was.isEmpty() && is.isEmpty();
    }

    /** The list after, in the objects of the list before where they are equal; nobody changes it. */
    List<T> after() {
        List<T> after = new ArrayList<>(head.size() + is.size() + tail.size());
        after.addAll(head);
        after.addAll(is);
        after.addAll(tail);
        return Collections.unmodifiableList(after);
    }
}
