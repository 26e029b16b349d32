package io.edgeplug.model.convert;

import io.edgeplug.model.config.Mistakes;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.model.rules.Sharing;
import io.edgeplug.system.kernel.PlainText;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * A value in the file that is converted, with its place, such as {@code resourceList[0].selectors} on line 7.
 *
 * <p>A value of the wrong type is a mistake, and then counts as missing. Keys may be in upper or lower case, as in the
 * plugins' own readers.
 */
final class Part {

    /** The keys that name a resource in the files of several plugins, in lower case. */
    private static final Set<String> NAMES = Set.of("resourcename", "name");

    private static final int MAX_NAME = 64;

    private final Place place;
    private final Node node;
    private final Map<String, Part> byKey = new LinkedHashMap<>();
    private final Map<String, String> spelling = new TreeMap<>();
    private final Set<String> asked = new LinkedHashSet<>();

    /**
     * The place of a part.
     *
     * @param before how many lines of the file come before the text of the part
     */
    record Place(Mistakes mistakes, String file, int before, String path) {

        Place under(String name) {
            String dot = path.isEmpty() || name.startsWith("[") ? "" : ".";
            return new Place(mistakes, file, before, path + dot + name);
        }
    }

    Part(Place place, Node node) {
        this.place = place;
        this.node = node;
        if (node instanceof MappingNode mapping) {
            mapping.getValue().forEach(this::addKey);
        }
    }

    private void addKey(NodeTuple tuple) {
        if (!(tuple.getKeyNode() instanceof ScalarNode name)) {
            new Part(place, tuple.getKeyNode()).mistake("has a key that is no text");
            return;
        }
        Part value = new Part(place.under(name.getValue()), tuple.getValueNode());
        String key = name.getValue().toLowerCase(Locale.ROOT);
        if (byKey.putIfAbsent(key, value) != null) {
            value.mistake("is written twice");
        }
        spelling.put(key, name.getValue());
    }

    Place place() {
        return place;
    }

    /** The line in the file, from 1. */
    int line() {
        return node.getStartMark().map(Mark::getLine).orElse(0) + 1 + place.before();
    }

    /** The path, such as {@code resourceList[0].selectors}. */
    String path() {
        return place.path();
    }

    /** Adds a mistake at this place, or a setting that a device class cannot express. */
    void mistake(String what) {
        place.mistakes().add(place.file(), line(), (place.path().isEmpty() ? "" : place.path() + ": ") + what);
    }

    boolean isTable() {
        return node instanceof MappingNode;
    }

    boolean isList() {
        return node instanceof SequenceNode;
    }

    boolean isText() {
        return node instanceof ScalarNode;
    }

    boolean has(String key) {
        return byKey.containsKey(key.toLowerCase(Locale.ROOT));
    }

    /** The value of a key; empty if it is missing or null. */
    Optional<Part> get(String key) {
        String name = key.toLowerCase(Locale.ROOT);
        asked.add(name);
        return Optional.ofNullable(byKey.get(name))
                .filter(part -> !part.node.getTag().equals(Tag.NULL));
    }

    /** All keys as they are written, with their values. */
    Map<String, Part> all() {
        Map<String, Part> all = new LinkedHashMap<>();
        byKey.forEach((key, part) -> all.put(spelling.getOrDefault(key, key), part));
        asked.addAll(byKey.keySet());
        return all;
    }

    /** Keys that nobody has asked for, as they are written. */
    List<String> others() {
        return byKey.keySet().stream()
                .filter(key -> !asked.contains(key))
                .map(key -> spelling.getOrDefault(key, key))
                .toList();
    }

    /** The elements of a list. */
    List<Part> elements() {
        List<Part> parts = new ArrayList<>();
        if (node instanceof SequenceNode sequence) {
            for (Node element : sequence.getValue()) {
                parts.add(new Part(place.under("[" + parts.size() + "]" + name(element)), element));
            }
        } else {
            mistake("must be a list");
        }
        return parts;
    }

    /** The resource that an element is about, for a person who looks for its name in the file. */
    private static String name(Node element) {
        if (!(element instanceof MappingNode mapping)) {
            return "";
        }
        return mapping.getValue().stream()
                .filter(tuple -> tuple.getKeyNode() instanceof ScalarNode key
                        && NAMES.contains(key.getValue().toLowerCase(Locale.ROOT)))
                .flatMap(tuple ->
                        tuple.getValueNode() instanceof ScalarNode value ? Stream.of(value.getValue()) : Stream.of())
                .filter(text -> !text.isBlank())
                .findFirst()
                .map(text -> " (" + PlainText.start(text, MAX_NAME) + ")")
                .orElse("");
    }

    /** The elements of a key's list; none if it is missing. */
    List<Part> elements(String key) {
        return get(key).map(Part::elements).orElse(List.of());
    }

    /** The objects of a key's list. Any other element is a mistake. */
    List<Part> objects(String key) {
        List<Part> all = elements(key);
        all.stream().filter(part -> !part.isTable()).forEach(part -> part.mistake("must be an object"));
        return all.stream().filter(Part::isTable).toList();
    }

    /** A text or number, as it is written. */
    Optional<String> text() {
        if (node instanceof ScalarNode scalar) {
            return Optional.of(scalar.getValue());
        }
        mistake("must be a text");
        return Optional.empty();
    }

    Optional<String> text(String key) {
        return get(key).flatMap(Part::text);
    }

    /** A text that must exist and not be empty. */
    Optional<String> required(String key) {
        Optional<Part> value = get(key);
        if (value.isEmpty()) {
            mistake(key + " is missing");
        }
        Optional<String> text = value.flatMap(Part::text);
        if (text.filter(String::isBlank).isPresent()) {
            value.orElseThrow().mistake("is empty");
        }
        return text.filter(found -> !found.isBlank());
    }

    /** The texts of a key's list. */
    List<String> texts(String key) {
        return elements(key).stream().flatMap(part -> part.text().stream()).toList();
    }

    /** The texts of a key's list as a selector. What is none of its values is a mistake. */
    void select(String key, SelectorWord word, Map<SelectorWord, List<String>> words) {
        List<String> values = texts(key);
        if (!values.isEmpty()) {
            words.put(word, values);
        }
        get(key).ifPresent(where -> values.forEach(
                value -> word.problem(value).ifPresent(problem -> where.mistake("\"" + value + "\" " + problem))));
    }

    /** Whether a key is true; false if it is missing. */
    boolean truth(String key) {
        Optional<Part> part = get(key);
        if (part.isPresent() && !part.orElseThrow().node.getTag().equals(Tag.BOOL)) {
            part.orElseThrow().mistake("must be true or false");
        }
        return part.flatMap(Part::text).equals(Optional.of("true"));
    }

    /** A whole number of at most nine digits. */
    OptionalInt number(String key) {
        Optional<String> text = text(key);
        if (text.isEmpty()) {
            return OptionalInt.empty();
        }
        if (!text.orElseThrow().matches("-?\\d{1,9}")) {
            get(key).ifPresent(part -> part.mistake("must be a whole number"));
            return OptionalInt.empty();
        }
        return OptionalInt.of(Integer.parseInt(text.orElseThrow()));
    }

    /** How many containers can have one device, which becomes the shares of a class; empty if a mistake was added. */
    OptionalInt shares(String key) {
        OptionalInt number = number(key);
        if (get(key).isEmpty()) {
            mistake(key + " is missing");
        } else if (number.isPresent() && (number.getAsInt() < 1 || number.getAsInt() > Sharing.MAX_SHARES)) {
            get(key).ifPresent(part -> part.mistake(
                    "must be 1 to " + Sharing.MAX_SHARES + ", which is how many shares a device can have"));
            return OptionalInt.empty();
        }
        return number;
    }

    /** Reads the text of this value, from that character on, as a file of its own. A ConfigMap has such values. */
    List<Part> documents(int from) {
        if (!(node instanceof ScalarNode scalar)) {
            mistake("must be a text");
            return List.of();
        }
        ScalarStyle style = scalar.getScalarStyle();
        boolean isBlock = style == ScalarStyle.LITERAL || style == ScalarStyle.FOLDED;
        Place inside = new Place(place.mistakes(), place.file(), isBlock ? line() : line() - 1, "");
        return SourceText.read(inside, scalar.getValue().substring(from));
    }
}
