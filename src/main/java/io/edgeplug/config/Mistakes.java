package io.edgeplug.config;

import io.edgeplug.linux.PlainText;
import java.util.ArrayList;
import java.util.List;

/** Gathers what is wrong, so that all of it is told at once. */
final class Mistakes {

    /** More lines than this help nobody; a file of garbage has thousands. */
    private static final int MAX_TOLD = 100;

    /** What a mistake quotes may be as long as its file. */
    private static final int MAX_LENGTH = 600;

    private final List<String> told = new ArrayList<>();
    private int count;

    /** Adds a line; control characters, which a file may hold anywhere, must not reach a terminal. */
    void add(String where, String what) {
        count++;
        if (told.size() < MAX_TOLD) {
            told.add(PlainText.of(shortened(where + ": " + what)));
        }
    }

    private static String shortened(String line) {
        int half = MAX_LENGTH / 2;
        return line.length() <= MAX_LENGTH
                ? line
                : line.substring(0, half) + " … " + line.substring(line.length() - half);
    }

    int count() {
        return count;
    }

    void throwIfAny() throws ConfigException {
        if (count > told.size()) {
            told.add("and " + (count - told.size()) + " mistakes more");
        }
        if (count > 0) {
            throw new ConfigException(told);
        }
    }
}
