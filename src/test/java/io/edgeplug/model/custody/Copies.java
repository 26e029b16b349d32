package io.edgeplug.model.custody;

import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** Changed copies of the parts of a world, which are shared by worlds and so are never changed themselves. */
final class Copies {

    private Copies() {}

    /** The same map with another value. */
    static <V> SortedMap<String, V> with(SortedMap<String, V> map, String key, V value) {
        SortedMap<String, V> next = new TreeMap<>(map);
        next.put(key, value);
        return next;
    }

    static <V> SortedMap<String, V> without(SortedMap<String, V> map, String key) {
        SortedMap<String, V> next = new TreeMap<>(map);
        next.remove(key);
        return next;
    }

    static SortedSet<String> with(SortedSet<String> set, String one) {
        SortedSet<String> next = new TreeSet<>(set);
        next.add(one);
        return next;
    }

    static SortedSet<String> without(SortedSet<String> set, String one) {
        SortedSet<String> next = new TreeSet<>(set);
        next.remove(one);
        return next;
    }
}
