package io.edgeplug.model.rules;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** The API by which Kubernetes gets the devices of a class. */
public enum Api {
    /** The kubelet counts them, and pods ask for a number of them. */
    DEVICE_PLUGIN,
    /** Dynamic Resource Allocation: the scheduler knows each of them, and pods claim some. */
    DRA;

    /** The API with that word. */
    public static Optional<Api> parse(String word) {
        return Stream.of(values()).filter(one -> one.word().equals(word)).findFirst();
    }

    /** The word in the configuration, such as {@code device-plugin}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
