package io.edgeplug.config;

import java.util.ArrayList;
import java.util.List;

/** Gathers what is wrong, so that all of it is told at once. */
final class Mistakes {

    private final List<String> found = new ArrayList<>();

    void add(String where, String what) {
        found.add(where + ": " + what);
    }

    int count() {
        return found.size();
    }

    void throwIfAny() throws ConfigException {
        if (!found.isEmpty()) {
            throw new ConfigException(found);
        }
    }
}
