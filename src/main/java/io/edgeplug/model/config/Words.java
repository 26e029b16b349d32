package io.edgeplug.model.config;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Values of keys that are one of some words. */
final class Words {

    private Words() {}

    /** What the word of a key stands for; empty if the key is missing, or if its word is none of them, a mistake. */
    static <T> Optional<T> oneOf(Table table, String key, Map<String, T> values) {
        return table.string(key).flatMap(word -> {
            Optional<T> value = Optional.ofNullable(values.get(word));
            if (value.isEmpty()) {
                table.mistake(key, "\"" + word + "\" is none of " + String.join(", ", values.keySet()));
            }
            return value;
        });
    }

    /** The same for constants, of which {@code DEVICE_NODES} has the word {@code device-nodes}. */
    static <E extends Enum<E>> Optional<E> oneOf(Table table, String key, Class<E> constants) {
        Map<String, E> values = new LinkedHashMap<>();
        for (E one : constants.getEnumConstants()) {
            values.put(one.name().toLowerCase(Locale.ROOT).replace('_', '-'), one);
        }
        return oneOf(table, key, values);
    }
}
