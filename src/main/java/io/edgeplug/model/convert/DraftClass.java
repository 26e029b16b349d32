package io.edgeplug.model.convert;

import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PathGroup;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** A class of files or USB devices that is about to be written. It has once what groups of them may have differently. */
final class DraftClass {

    private static final int DIGITS = 4;

    final Set<Integer> shares = new LinkedHashSet<>();
    final Set<String> directories = new LinkedHashSet<>();
    final Set<String> permissions = new LinkedHashSet<>();
    final Set<Boolean> readOnly = new LinkedHashSet<>();
    final List<String> single = new ArrayList<>();
    final List<PathGroup> several = new ArrayList<>();
    /** The keys and values that choose USB devices, of each entry in the other plugin. */
    final List<Map<SelectorWord, List<String>>> usb = new ArrayList<>();

    final Set<String> usbNodes = new LinkedHashSet<>();
    final Set<String> names = new LinkedHashSet<>();
    final List<String> comments = new ArrayList<>();

    /** Adds an entry for USB devices with {@code vendor}, {@code product} and {@code serial}, unless it has a mistake. */
    void addUsb(Part entry) {
        int before = entry.place().mistakes().count();
        Map<SelectorWord, List<String>> words = new EnumMap<>(SelectorWord.class);
        id(entry, "vendor", SelectorWord.VENDORS, words);
        id(entry, "product", SelectorWord.PRODUCTS, words);
        entry.text("serial")
                .filter(serial -> !serial.isEmpty())
                .ifPresent(serial -> words.put(SelectorWord.SERIALS, List.of(serial)));
        if (entry.place().mistakes().count() == before) {
            addUsb(words);
        }
    }

    private static void id(Part entry, String key, SelectorWord word, Map<SelectorWord, List<String>> words) {
        entry.required(key).ifPresent(text -> {
            String id = "0".repeat(Math.max(0, DIGITS - text.strip().length())) + text.strip();
            word.problem(id).ifPresent(problem -> entry.mistake(key + " \"" + text + "\" " + problem));
            words.put(word, List.of(id));
        });
    }

    /** Adds an entry, unless another one takes all of its devices, because {@code check} would ask about it. */
    void addUsb(Map<SelectorWord, List<String>> words) {
        Selector added = new Selector(words);
        if (usb.stream().noneMatch(one -> new Selector(one).covers(added))) {
            usb.removeIf(one -> added.covers(new Selector(one)));
            usb.add(words);
        }
    }

    void write(NewClasses classes, ResourceName resource, String permissionsOfAll) {
        ClassText text = classes.text();
        text.beginClass(resource, usb.isEmpty() ? Kind.PATH : Kind.USB, comments);
        if (permissionsOfAll.contains("m")) {
            text.comment("m lets the container make device nodes. Leave it out unless its program does that.");
        }
        if (!permissionsOfAll.isEmpty()) {
            text.string("permissions", permissionsOfAll);
        }
        if (usb.isEmpty()) {
            writePaths(classes, resource);
        } else {
            writeUsb(classes);
        }
    }

    private void writeShares(ClassText text) {
        int sharesOfAll = shares.stream().findFirst().orElse(1);
        if (sharesOfAll > 1) {
            text.number("shares", sharesOfAll);
        }
    }

    /** Devices that may have no serial number are told apart by their ports. */
    private void writeUsb(NewClasses classes) {
        ClassText text = classes.text();
        if (usb.stream().anyMatch(one -> !one.containsKey(SelectorWord.SERIALS))) {
            text.string("id", "port");
        }
        if (!usbNodes.isEmpty()) {
            text.strings("nodes", usbNodes);
        }
        writeShares(text);
        classes.write(usb, Collections.nCopies(usb.size(), List.of()));
    }

    private void writePaths(NewClasses classes, ResourceName resource) {
        ClassText text = classes.text();
        directories.stream().filter(one -> !one.isEmpty()).forEach(one -> text.string("container_dir", one));
        names.forEach(one -> text.string("container_path", one));
        List<String> first = Stream.concat(
                        single.stream(),
                        several.stream().map(group -> group.paths().getFirst()))
                .toList();
        classes.files().write(resource, first, text);
        writeShares(text);
        if (!single.isEmpty()) {
            text.table("[class.match]", List.of());
            text.strings("paths", single);
        }
        for (PathGroup group : several) {
            text.table("[[class.groups]]", List.of());
            text.strings("paths", group.paths());
            List<String> optional =
                    group.paths().stream().filter(group.optional()::contains).toList();
            if (!optional.isEmpty()) {
                text.strings("optional", optional);
            }
        }
    }
}
