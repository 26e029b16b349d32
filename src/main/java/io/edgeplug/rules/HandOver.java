package io.edgeplug.rules;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** By which way nodes and mounts reach a container. */
public enum HandOver {
    /** The kubelet is told each of them. */
    DEVICE_NODES,
    /** The kubelet is told a name, and the container runtime finds them in a CDI specification. */
    CDI;

    /** The way of that word. */
    public static Optional<HandOver> parse(String word) {
        return Stream.of(values()).filter(way -> way.word().equals(word)).findFirst();
    }

    /** As a class says it: {@code device-nodes}. */
    String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
