package io.edgeplug.model.convert;

import io.edgeplug.model.config.Mistakes;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Hca;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.Nic;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PfPart;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Requirement;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The classes that are written so far, and the devices of the node that they leave. */
final class NewClasses {

    /** The configuration may have no more. */
    private static final int MAX_CLASSES = 256;

    private final TargetNode node;
    private final @Nullable String domain;
    private final ClassText text = new ClassText();
    private final Map<ResourceName, Part> resources = new HashMap<>();
    private final Set<Device> taken = new HashSet<>();
    private final NewFiles files = new NewFiles();
    private int leftOut;

    NewClasses(TargetNode node, @Nullable String domain) {
        this.node = node;
        this.domain = domain;
    }

    ClassText text() {
        return text;
    }

    NewFiles files() {
        return files;
    }

    TargetNode node() {
        return node;
    }

    boolean isEmpty() {
        return text.classes() == 0;
    }

    /** How many mistakes left out a class. */
    int leftOut() {
        return leftOut;
    }

    /** Converts one class. If it cannot be expressed, a comment says why, and the others are converted all the same. */
    void attempt(Part part, Runnable conversion) {
        Mistakes mistakes = part.place().mistakes();
        int before = mistakes.count();
        conversion.run();
        if (mistakes.count() > before) {
            leftOut += mistakes.count() - before;
            text.remark("No class is made of line " + part.line() + " of the file, because a class cannot express it:");
            mistakes.after(before).forEach(text::comment);
        }
    }

    /** The domain of resources if the file names none: the user's, or else the plugin's default. */
    String domain(String usual) {
        return domain == null ? usual : domain;
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

    /** The devices that a class of that kind would take from those that earlier classes leave. */
    List<Device> devices(ResourceName resource, Kind kind, Collection<Map<SelectorWord, List<String>>> matches) {
        return matching(resource, kind, matches).stream()
                .filter(device -> !taken.contains(device))
                .toList();
    }

    /** The devices that it would take if earlier classes did not. */
    List<Device> devicesOfOthers(
            ResourceName resource, Kind kind, Collection<Map<SelectorWord, List<String>>> matches) {
        return matching(resource, kind, matches).stream()
                .filter(taken::contains)
                .toList();
    }

    private List<Device> matching(
            ResourceName resource, Kind kind, Collection<Map<SelectorWord, List<String>>> matches) {
        DeviceClass wanted = DeviceClass.of(
                resource,
                kind,
                matches.stream().map(match -> new Selector(of(kind, match))).toArray(Selector[]::new));
        return node.devices().stream().filter(wanted::takes).toList();
    }

    /** The matching adapters that are never handed out as a whole, because they have VFs or sub-functions. */
    List<PciDevice> cutIntoParts(Collection<Map<SelectorWord, List<String>>> matches) {
        List<Selector> selectors =
                matches.stream().map(match -> new Selector(of(Kind.NIC, match))).toList();
        Set<PciAddress> cut = new HashSet<>();
        node.devices().forEach(device -> {
            if (device instanceof PfPart part) {
                cut.add(part.physicalFunction());
            }
        });
        return node.devices().stream()
                .filter(device -> device instanceof Nic || device instanceof Hca)
                .map(PciDevice.class::cast)
                .filter(adapter -> cut.contains(adapter.function().address()))
                .filter(adapter -> selectors.stream().anyMatch(selector -> areMet(selector, adapter)))
                .toList();
    }

    /** Whether a selector takes a device, without the other conditions of a class. */
    static boolean areMet(Selector selector, Device device) {
        return selector.requirements(device).stream().allMatch(Requirement::isMet);
    }

    /** Removes these devices from those for later classes. */
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

    /** Writes the tables that select the devices of the class. */
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
