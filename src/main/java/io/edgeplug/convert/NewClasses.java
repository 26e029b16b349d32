package io.edgeplug.convert;

import io.edgeplug.device.Device;
import io.edgeplug.device.Hca;
import io.edgeplug.device.Kind;
import io.edgeplug.device.Nic;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PfPart;
import io.edgeplug.device.ResourceName;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.rules.Requirement;
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

    /** The configuration may have no more. */
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

    /** The domain of resources if the file names none: the user's, or else the plugin's default. */
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
