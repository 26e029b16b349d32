package io.edgeplug.system.flow;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Function;

/**
 * Maps a list element by element, and the next list only where it differs from the last one; one thread at a time.
 *
 * <p>Of 4,096 devices one changes at a time. Mapping all of them would take longer than the rest of the way of bad
 * news.
 *
 * @param <T> the elements, which never change
 * @param <R> the results, which depend on nothing but the element
 */
public final class IncrementalMapping<T, R> {

    private List<T> elements = List.of();
    private List<R> mapped = List.of();
    private boolean isStale;

    /** The results for these elements. The list never changes. */
    public List<R> map(List<T> newest, Function<? super T, ? extends R> mapper) {
        if (isStale) {
            mapAll(newest, mapper);
        }
        Difference<T> change = Difference.of(elements, newest);
        if (!change.isEmpty()) {
            int end = mapped.size() - change.tail().size();
            IdentityHashMap<T, R> known = new IdentityHashMap<>();
            for (int i = 0; i < change.removed().size(); i++) {
                known.put(change.removed().get(i), mapped.get(change.head().size() + i));
            }
            List<R> now = new ArrayList<>(newest.size());
            now.addAll(mapped.subList(0, change.head().size()));
            for (T element : change.added()) {
                R before = known.get(element);
                now.add(before == null ? mapper.apply(element) : before);
            }
            now.addAll(mapped.subList(end, mapped.size()));
            elements = newest;
            mapped = Collections.unmodifiableList(now);
        }
        return mapped;
    }

    /** Maps all elements next time, because the function changes. Results that are equal stay the same objects. */
    public void forget() {
        isStale = true;
    }

    private void mapAll(List<T> newest, Function<? super T, ? extends R> mapper) {
        IdentityHashMap<T, R> known = new IdentityHashMap<>();
        for (int i = 0; i < elements.size(); i++) {
            known.put(elements.get(i), mapped.get(i));
        }
        List<R> now = new ArrayList<>(newest.size());
        for (T element : newest) {
            R again = mapper.apply(element);
            R before = known.get(element);
            now.add(before != null && before.equals(again) ? before : again);
        }
        elements = newest;
        mapped = Collections.unmodifiableList(now);
        isStale = false;
    }
}
