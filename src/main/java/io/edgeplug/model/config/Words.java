package io.edgeplug.model.config;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.Template;
import io.edgeplug.model.rules.TemplateWord;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What the values of keys stand for, and which keys a kind of devices has. Everything else is a mistake. */
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

    /** A text of that form; {@code what} ends the sentence about any other text. */
    static Optional<String> matching(Table table, String key, String text, Pattern form, String what) {
        if (form.matcher(text).matches()) {
            return Optional.of(text);
        }
        table.mistake(key, "\"" + text + "\" is not " + what);
        return Optional.empty();
    }

    /** A template for devices of a kind, or of any kind, which may also have these words. */
    static Optional<Template> template(
            Table table, String key, String text, @Nullable Kind kind, TemplateWord... others) {
        try {
            return Optional.of(Template.parse(text, kind, others));
        } catch (IllegalArgumentException e) {
            table.mistake(key, "\"" + text + "\": " + e.getMessage());
            return Optional.empty();
        }
    }

    static Optional<ResourceName> resource(Table table, String key, String text) {
        try {
            return Optional.of(ResourceName.parse(text));
        } catch (IllegalArgumentException e) {
            table.mistake(key, "\"" + text + "\" " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Refuses a key that the table has, if the class is of another kind than these. */
    static void concerns(Table table, String key, @Nullable Kind kind, Set<Kind> kinds) {
        if (kind != null && table.has(key) && !kinds.contains(kind)) {
            table.mistake(key, "does not apply to kind " + kind.word());
        }
    }
}
