package io.edgeplug.inventory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Function;

/**
 * What was made of each element of a list, made again only of those that have changed; one thread at a time.
 *
 * @param <T> what it is made of, which is never changed
 * @param <R> what is made of it, and of nothing else
 */
public final class Remade<T, R> {

    private List<T> elements = List.of();
    private List<R> made = List.of();
    private boolean isStale;

    /** What is made of each of these; the list is not changed later. */
    public List<R> of(List<T> newest, Function<? super T, ? extends R> maker) {
        if (isStale) {
            remake(newest, maker);
        }
        Difference<T> change = Difference.of(elements, newest);
        if (!change.isEmpty()) {
            int end = made.size() - change.tail().size();
            IdentityHashMap<T, R> known = new IdentityHashMap<>();
            for (int i = 0; i < change.was().size(); i++) {
                known.put(change.was().get(i), made.get(change.head().size() + i));
            }
            List<R> now = new ArrayList<>(newest.size());
            now.addAll(made.subList(0, change.head().size()));
            for (T element : change.is()) {
                R before = known.get(element);
                now.add(before == null ? maker.apply(element) : before);
            }
            now.addAll(made.subList(end, made.size()));
            elements = newest;
            made = Collections.unmodifiableList(now);
        }
        return made;
    }

    /** Makes all anew the next time, for what it is made with has changed; what comes out equal stays the same object. */
    public void forget() {
        isStale = true;
    }

    private void remake(List<T> newest, Function<? super T, ? extends R> maker) {
        IdentityHashMap<T, R> known = new IdentityHashMap<>();
        for (int i = 0; i < elements.size(); i++) {
            known.put(elements.get(i), made.get(i));
        }
        List<R> now = new ArrayList<>(newest.size());
        for (T element : newest) {
            R again = maker.apply(element);
            R before = known.get(element);
            now.add(before != null && before.equals(again) ? before : again);
        }
        elements = newest;
        made = Collections.unmodifiableList(now);
        isStale = false;
    }
}
