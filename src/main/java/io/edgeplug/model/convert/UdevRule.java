package io.edgeplug.model.convert;

import static java.util.Map.entry;

import io.edgeplug.model.rules.SelectorWord;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What one rule of udev says, as far as a class can say it: paths of device nodes, or what a USB device must be. */
final class UdevRule {

    private static final Pattern CONDITION =
            Pattern.compile("\\s*([A-Z]+(?:\\{[^}]*})?)\\s*([=!+:-]=|=)\\s*\"([^\"]*)\"\\s*(?:,|$)");

    private static final Pattern ALL = Pattern.compile("[A-Za-z]+(\\[0-9])?\\*");

    private static final Map<String, SelectorWord> USB = Map.ofEntries(
            entry("ATTR{idVendor}", SelectorWord.VENDORS),
            entry("ATTRS{idVendor}", SelectorWord.VENDORS),
            entry("ENV{ID_VENDOR_ID}", SelectorWord.VENDORS),
            entry("ATTR{idProduct}", SelectorWord.PRODUCTS),
            entry("ATTRS{idProduct}", SelectorWord.PRODUCTS),
            entry("ENV{ID_MODEL_ID}", SelectorWord.PRODUCTS),
            entry("ATTR{serial}", SelectorWord.SERIALS),
            entry("ATTRS{serial}", SelectorWord.SERIALS),
            entry("ENV{ID_SERIAL_SHORT}", SelectorWord.SERIALS),
            entry("ATTRS{bInterfaceClass}", SelectorWord.INTERFACE_CLASSES),
            entry("DRIVERS", SelectorWord.DRIVERS),
            entry("KERNELS", SelectorWord.PORTS));

    private final Part place;
    private final Map<SelectorWord, List<String>> words = new EnumMap<>(SelectorWord.class);
    private final List<String> kernels = new ArrayList<>();
    private final List<String> paths = new ArrayList<>();
    private @Nullable UdevNodes nodes;
    private boolean isUsb;

    /** Adds a mistake for each condition that a class cannot express. */
    UdevRule(Part place) {
        this.place = place;
        int before = place.place().mistakes().count();
        String text = place.text().orElse("");
        Matcher condition = CONDITION.matcher(text);
        int end = 0;
        while (condition.find() && condition.start() == end) {
            end = condition.end();
            if (condition.group(2).equals("==")) {
                add(condition.group(1), condition.group(3));
            } else {
                place.mistake(condition.group(1) + condition.group(2) + " has no counterpart, only == has");
            }
        }
        if (end < text.length() || end == 0) {
            place.mistake("\"" + text + "\" is no list of conditions such as KERNEL==\"video*\"");
        } else if (place.place().mistakes().count() == before) {
            finish();
        }
    }

    private void add(String field, String value) {
        List<String> values = List.of(value.split("\\|"));
        Optional<SelectorWord> word = Optional.ofNullable(USB.get(field));
        if (word.isPresent()) {
            isUsb = true;
            if (words.put(word.orElseThrow(), values) != null) {
                place.mistake(field + " is the second condition of its sort, and a class can have one only");
            }
            values.forEach(one -> problem(word.orElseThrow(), one)
                    .ifPresent(problem -> place.mistake(field + " \"" + one + "\" " + problem)));
            if (field.startsWith("ATTR{")) {
                nodes = UdevNodes.USB;
            }
        } else if (field.equals("SUBSYSTEM") && UdevNodes.ofSubsystem(value).isPresent()) {
            nodes = UdevNodes.ofSubsystem(value).orElseThrow();
        } else if (field.equals("KERNEL")) {
            kernels.addAll(values);
        } else if (field.equals("ENV{DEVNAME}")) {
            paths.addAll(values);
        } else if (field.equals("ENV{DEVTYPE}") && value.equals("usb_device")) {
            nodes = UdevNodes.USB;
        } else if (Stream.of("SUBSYSTEMS", "ENV{ID_BUS}").anyMatch(field::equals) && value.equals("usb")) {
            isUsb = true;
        } else {
            place.mistake(field + "==\"" + value + "\" has no counterpart");
        }
    }

    private static Optional<String> problem(SelectorWord word, String value) {
        return value.contains("[")
                ? Optional.of("has a set of characters, and only * and ? are patterns")
                : word.problem(value);
    }

    private void finish() {
        isUsb |= nodes == UdevNodes.USB;
        if (isUsb) {
            finishUsb();
            return;
        }
        if (paths.isEmpty()) {
            kernels.stream().flatMap(name -> UdevNodes.paths(name).stream()).forEach(paths::add);
        }
        if (paths.isEmpty() && nodes != null) {
            paths.addAll(nodes.paths());
        }
        paths.forEach(path ->
                problem(SelectorWord.PATHS, path).ifPresent(problem -> place.mistake("\"" + path + "\" " + problem)));
        if (paths.isEmpty()) {
            place.mistake("chooses the consoles of the node too: add KERNEL to it");
        }
    }

    private void finishUsb() {
        if (nodes == null) {
            nodes = kernels.stream()
                    .flatMap(name -> UdevNodes.ofName(name).stream())
                    .findFirst()
                    .orElse(null);
        }
        Stream.concat(kernels.stream().filter(name -> !isOfAll(name)), paths.stream())
                .forEach(name ->
                        place.mistake("\"" + name + "\" has no counterpart in a rule for USB devices, in which only"
                                + " names such as video* and ttyUSB[0-9]* have one"));
        boolean isOneModel = Stream.of(SelectorWord.PRODUCTS, SelectorWord.SERIALS, SelectorWord.PORTS)
                .anyMatch(words::containsKey);
        if (nodes != null && !isOneModel) {
            nodes.interfaceClass().ifPresent(code -> words.putIfAbsent(SelectorWord.INTERFACE_CLASSES, List.of(code)));
        }
        if (words.isEmpty()) {
            place.mistake("chooses all USB devices: add ATTRS{idVendor} to it");
        }
    }

    /** Whether it names all nodes of the sort that the rule chooses. The number of a node is that of no device. */
    private boolean isOfAll(String name) {
        return ALL.matcher(name).matches() && UdevNodes.ofName(name).equals(Optional.ofNullable(nodes));
    }

    boolean isUsb() {
        return isUsb;
    }

    /** What a USB device must be. */
    Map<SelectorWord, List<String>> words() {
        return words;
    }

    /** The sort of nodes that it chooses of a USB device; empty if it chooses all. */
    Optional<UdevNodes> nodes() {
        return Optional.ofNullable(nodes);
    }

    /** Device nodes, if it says nothing of USB. */
    List<String> paths() {
        return paths;
    }
}
