package io.edgeplug.rules;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** How the devices of one container are spread over PFs, where their NUMA nodes leave a choice. */
public enum Preference {
    /** On as few PFs as possible, so that whole PFs stay free for others. */
    PACK,
    /** On as many PFs as possible, so that one PF's failure or load is not all of the container's. */
    SPREAD;

    /** The preference of that word. */
    public static Optional<Preference> parse(String word) {
        return Stream.of(values()).filter(one -> one.word().equals(word)).findFirst();
    }

    /** As a class says it: {@code pack}. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
