package io.edgeplug.lab.localkubelet;

import java.util.Collections;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The devices of one resource at one moment, for an allocation.
 *
 * @param all by ID, from the last list; none after a restart of the kubelet
 * @param inUse IDs in use by any pod, listed or not
 */
record FreeDevices(SortedMap<String, ListedDevice> all, SortedSet<String> healthy, SortedSet<String> inUse) {

    FreeDevices {
        all = Collections.unmodifiableSortedMap(new TreeMap<>(all));
        healthy = Collections.unmodifiableSortedSet(new TreeSet<>(healthy));
        inUse = Collections.unmodifiableSortedSet(new TreeSet<>(inUse));
    }

    SortedSet<String> available() {
        SortedSet<String> free = new TreeSet<>(healthy);
        free.removeAll(inUse);
        return free;
    }
}
