package io.edgeplug.model.convert;

import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The tables of a class that takes USB devices, one for each entry that has chosen some in another plugin. */
final class UsbTables {

    private static final int DIGITS = 4;

    private final List<Map<SelectorWord, List<String>>> tables = new ArrayList<>();

    boolean isEmpty() {
        return tables.isEmpty();
    }

    /** Adds an entry with {@code vendor}, {@code product} and {@code serial}, unless it has a mistake. */
    void add(Part entry) {
        int before = entry.place().mistakes().count();
        Map<SelectorWord, List<String>> words = new EnumMap<>(SelectorWord.class);
        id(entry, "vendor", SelectorWord.VENDORS, words);
        id(entry, "product", SelectorWord.PRODUCTS, words);
        entry.text("serial")
                .filter(serial -> !serial.isEmpty())
                .ifPresent(serial -> words.put(SelectorWord.SERIALS, List.of(serial)));
        if (entry.place().mistakes().count() == before) {
            add(words);
        }
    }

    private static void id(Part entry, String key, SelectorWord word, Map<SelectorWord, List<String>> words) {
        entry.required(key).ifPresent(text -> {
            String id = "0".repeat(Math.max(0, DIGITS - text.strip().length())) + text.strip();
            word.problem(id).ifPresent(problem -> entry.mistake(key + " \"" + text + "\" " + problem));
            words.put(word, List.of(id));
        });
    }

    /** Adds a table. One that takes nothing that another does not is left out, since check would ask about it. */
    void add(Map<SelectorWord, List<String>> words) {
        Selector added = new Selector(words);
        if (tables.stream().noneMatch(table -> new Selector(table).covers(added))) {
            tables.removeIf(table -> added.covers(new Selector(table)));
            tables.add(words);
        }
    }

    /** Writes the rest of a class. Devices that may have no serial number are told apart by their ports. */
    void write(NewClasses classes, Collection<String> nodes, int shares) {
        ClassText text = classes.text();
        if (tables.stream().anyMatch(table -> !table.containsKey(SelectorWord.SERIALS))) {
            text.string("id", "port");
        }
        if (!nodes.isEmpty()) {
            text.strings("nodes", nodes);
        }
        if (shares > 1) {
            text.number("shares", shares);
        }
        classes.write(tables, Collections.nCopies(tables.size(), List.of()));
    }
}
