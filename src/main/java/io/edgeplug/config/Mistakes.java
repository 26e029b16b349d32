package io.edgeplug.config;

import java.util.ArrayList;
import java.util.List;

/** Gathers what is wrong, so that all of it is told at once. */
final class Mistakes {

    /** More lines than this help nobody; a file of garbage has thousands. */
    private static final int MAX_TOLD = 100;

    private final List<String> found = new ArrayList<>();

    /** Adds a line; control characters, which a file may hold anywhere, must not reach a terminal. */
    void add(String where, String what) {
        found.add((where + ": " + what).replaceAll("\\p{Cntrl}", "?"));
    }

    int count() {
        return found.size();
    }

    void throwIfAny() throws ConfigException {
        if (found.size() > MAX_TOLD) {
            List<String> told = new ArrayList<>(found.subList(0, MAX_TOLD));
            told.add("and " + (found.size() - MAX_TOLD) + " mistakes more");
            throw new ConfigException(told);
        }
        if (!found.isEmpty()) {
            throw new ConfigException(found);
        }
    }
}
