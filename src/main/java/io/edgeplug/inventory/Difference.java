package io.edgeplug.inventory;

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

    /** Of two lists that are not changed; takes no look at what is the same object. */
    public static <T> Difference<T> of(List<T> before, List<T> after) {
        if (isOne(before, after)) {
            return new Difference<>(before, List.of(), List.of(), List.of());
        }
        int shorter = Math.min(before.size(), after.size());
        int head = 0;
        while (head < shorter && isSame(before.get(head), after.get(head))) {
            head++;
        }
        int tail = 0;
        while (tail < shorter - head
                && isSame(before.get(before.size() - 1 - tail), after.get(after.size() - 1 - tail))) {
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
}
