package io.edgeplug.model.rules;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** How the devices of one container are spread over PFs, as far as their NUMA nodes leave a choice. */
public enum Preference {
    /** On as few PFs as possible, so that whole PFs stay free for others. */
    PACK,
    /** On as many PFs as possible, so that the failure or load of one PF does not hit all devices of the container. */
    SPREAD;

    /** The preference with that word. */
    public static Optional<Preference> parse(String word) {
        return Stream.of(values()).filter(one -> one.word().equals(word)).findFirst();
    }

    /** The word in the configuration, such as {@code pack}. */
    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
