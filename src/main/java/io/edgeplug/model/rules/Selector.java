package io.edgeplug.model.rules;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.UsbDevice;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Selects devices for a class. Every key must match, and a key matches if one of its values does. */
public final class Selector {

    private final Map<SelectorWord, List<String>> values;
    private final Map<SelectorWord, Predicate<Device>> tests = new EnumMap<>(SelectorWord.class);

    /**
     * A selector with these keys and their values as written.
     *
     * @throws IllegalArgumentException if a value has a wrong form
     */
    public Selector(Map<SelectorWord, List<String>> values) {
        this.values = new EnumMap<>(SelectorWord.class);
        values.forEach((word, texts) -> {
            this.values.put(word, List.copyOf(texts));
            List<Predicate<Device>> any = new ArrayList<>();
            texts.forEach(text -> any.add(word.compile(text)));
            tests.put(word, device -> any.stream().anyMatch(test -> test.test(device)));
        });
    }

    /** The values of a key as written; none if the selector does not have the key. */
    public List<String> values(SelectorWord word) {
        return values.getOrDefault(word, List.of());
    }

    /** Whether this selector takes all devices that the other takes, as far as the written values show. */
    public boolean covers(Selector other) {
        return values.entrySet().stream()
                .allMatch(key -> !other.values(key.getKey()).isEmpty()
                        && key.getValue().containsAll(other.values(key.getKey())));
    }

    boolean asksForRdma() {
        return values(SelectorWord.IS_RDMA).contains("true")
                || !values(SelectorWord.P_KEYS).isEmpty();
    }

    /** The first key that does not match; empty if all match. */
    Optional<SelectorWord> mismatch(Device device) {
        if (isUnwantedHub(device)) {
            return Optional.of(SelectorWord.PORTS);
        }
        return tests.entrySet().stream()
                .filter(test -> !test.getValue().test(device))
                .map(Map.Entry::getKey)
                .findFirst();
    }

    /** A class of everything with some driver must not take the hubs to which the devices of others are connected. */
    private boolean isUnwantedHub(Device device) {
        return device instanceof UsbDevice usb
                && usb.isHub()
                && values(SelectorWord.PORTS).isEmpty()
                && values(SelectorWord.VENDORS).isEmpty();
    }

    /** Whether the selector would take a device with only these of its keys. */
    boolean takesBy(Set<SelectorWord> words, Device device) {
        return tests.entrySet().stream()
                .allMatch(test ->
                        !words.contains(test.getKey()) || test.getValue().test(device));
    }

    /** The condition of each key, and the device's value. */
    public List<Requirement> requirements(Device device) {
        Stream<Requirement> hub = isUnwantedHub(device)
                ? Stream.of(new Requirement("vendors or ports, since it is a hub", "none", false))
                : Stream.empty();
        Stream<Requirement> keys = values.entrySet().stream()
                .map(key -> new Requirement(
                        condition(key.getKey(), key.getValue()),
                        key.getKey().actual(device),
                        Objects.requireNonNull(tests.get(key.getKey())).test(device)));
        return Stream.concat(hub, keys).toList();
    }

    /** Its keys and values in the words of the configuration, such as {@code pf_names ens1f0, ens1f1}. */
    public String text() {
        return values.entrySet().stream()
                .map(key -> condition(key.getKey(), key.getValue()))
                .collect(Collectors.joining(" and "));
    }

    private static String condition(SelectorWord word, List<String> wanted) {
        return word.word() + " " + String.join(", ", wanted);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Selector selector && values.equals(selector.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    @Override
    public String toString() {
        return values.toString();
    }
}
