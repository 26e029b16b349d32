package io.edgeplug.convert;

import io.edgeplug.device.Device;
import io.edgeplug.device.Kind;
import io.edgeplug.device.ResourceName;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.rules.Selector;
import io.edgeplug.rules.SelectorWord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The classes that are written so far, and the devices of the node that they leave. */
final class NewClasses {

    /** The reader of the configuration takes no more. */
    private static final int MAX_CLASSES = 256;

    private final TargetNode node;
    private final Optional<String> domain;
    private final ClassText text = new ClassText();
    private final Map<ResourceName, Part> resources = new HashMap<>();
    private final Set<Device> taken = new HashSet<>();

    NewClasses(TargetNode node, Optional<String> domain) {
        this.node = node;
        this.domain = domain;
    }

    ClassText text() {
        return text;
    }

    TargetNode node() {
        return node;
    }

    boolean isEmpty() {
        return resources.isEmpty();
    }

    /** The domain of resources that a file does not name: what the person says, or else what the plugin defaults to. */
    String domain(String usual) {
        return domain.orElse(usual);
    }

    /** A resource's name, which no other class may have; empty if a mistake was added. */
    Optional<ResourceName> claim(Part place, String name) {
        try {
            ResourceName resource = ResourceName.parse(name);
            Part earlier = resources.putIfAbsent(resource, place);
            if (earlier != null) {
                place.mistake(resource + " is that of " + earlier.path() + " on line " + earlier.line() + " too");
                return Optional.empty();
            }
            if (resources.size() > MAX_CLASSES) {
                place.mistake("is more than the " + MAX_CLASSES + " classes that a node may have");
                return Optional.empty();
            }
            return Optional.of(resource);
        } catch (IllegalArgumentException e) {
            place.mistake("\"" + name + "\" " + e.getMessage());
            return Optional.empty();
        }
    }

    /** The devices that a class would take, had it that kind, of those that the classes before it leave. */
    List<Device> devices(ResourceName resource, Kind kind, Collection<Map<SelectorWord, List<String>>> matches) {
        DeviceClass wanted = DeviceClass.of(
                resource,
                kind,
                matches.stream().map(match -> new Selector(of(kind, match))).toArray(Selector[]::new));
        return node.devices().stream()
                .filter(device -> !taken.contains(device) && wanted.takes(device))
                .toList();
    }

    /** Keeps these devices from the classes that follow. */
    void take(Collection<Device> devices) {
        taken.addAll(devices);
    }

    private static Map<SelectorWord, List<String>> of(Kind kind, Map<SelectorWord, List<String>> match) {
        Map<SelectorWord, List<String>> words = new EnumMap<>(SelectorWord.class);
        match.forEach((word, values) -> {
            if (word.concerns(kind)) {
                words.put(word, values);
            }
        });
        return words;
    }

    /** Writes the tables by which the class is chosen. */
    void write(List<Map<SelectorWord, List<String>>> matches, List<List<String>> comments) {
        String heading = matches.size() == 1 ? "[class.match]" : "[[class.match]]";
        for (int i = 0; i < matches.size(); i++) {
            text.table(heading, new ArrayList<>(comments.get(i)));
            matches.get(i).forEach((word, values) -> {
                if (word.isBoolean()) {
                    text.truth(word.word(), Boolean.parseBoolean(values.getFirst()));
                } else {
                    text.strings(word.word(), values);
                }
            });
        }
    }
}
