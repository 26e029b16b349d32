package io.edgeplug.model.rules;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The way in which nodes and mounts reach a container. */
public enum HandOver {
    /** The kubelet gets each of them. */
    DEVICE_NODES,
    /** The kubelet gets a name, by which the container runtime finds them in a CDI specification. */
    CDI;

    /** The way with that word. */
    public static Optional<HandOver> parse(String word) {
        return Stream.of(values()).filter(way -> way.word().equals(word)).findFirst();
    }

    /** The word in the configuration, such as {@code device-nodes}. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
