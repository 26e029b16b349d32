package io.edgeplug.convert;

import io.edgeplug.device.Device;
import io.edgeplug.device.Hca;
import io.edgeplug.device.Kind;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.ResourceName;
import io.edgeplug.device.VirtualFunction;
import io.edgeplug.rules.Requirement;
import io.edgeplug.rules.Selector;
import io.edgeplug.rules.SelectorWord;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The {@code config.json} of k8s-rdma-shared-dev-plugin: resources, each with selectors of RDMA adapters and the number of
 * containers that share them, as its README.md has them.
 */
final class RdmaSharedPlugin {

    static final String NAME = "k8s-rdma-shared-dev-plugin";

    private static final String USUAL_DOMAIN = "rdma";

    private static final Map<String, SelectorWord> SELECTORS = Map.of(
            "vendors", SelectorWord.VENDORS,
            "deviceIDs", SelectorWord.DEVICES,
            "drivers", SelectorWord.DRIVERS,
            "ifNames", SelectorWord.PF_NAMES,
            "linkTypes", SelectorWord.LINK_TYPES);

    private final NewClasses classes;

    RdmaSharedPlugin(NewClasses classes) {
        this.classes = classes;
    }

    void convert(Part file) {
        file.get("periodicUpdateInterval")
                .ifPresent(interval -> classes.text()
                        .comment("periodicUpdateInterval has no counterpart: changes of devices are seen at once."));
        for (Part resource : file.elements("configList")) {
            if (resource.isTable()) {
                resource(resource);
            } else {
                resource.mistake("must be an object");
            }
        }
        file.others().forEach(key -> classes.text().comment(key + " is no key of " + NAME + " and had no effect."));
    }

    private void resource(Part part) {
        int before = part.place().mistakes().count();
        String domain =
                part.text("resourcePrefix").filter(text -> !text.isEmpty()).orElse(classes.domain(USUAL_DOMAIN));
        Optional<ResourceName> resource =
                part.required("resourceName").flatMap(name -> classes.claim(part, domain + "/" + name));
        OptionalInt shares = part.shares("rdmaHcaMax");
        Map<SelectorWord, List<String>> words = words(part);
        List<String> comments = new ArrayList<>();
        part.others().forEach(key -> comments.add(key + " is no key of " + NAME + " and had no effect."));
        if (part.place().mistakes().count() > before) {
            return;
        }
        Optional<Kind> kind = kind(part, resource.orElseThrow(), words, comments);
        kind.ifPresent(one -> write(resource.orElseThrow(), one, shares.getAsInt(), words, comments));
    }

    private static Map<SelectorWord, List<String>> words(Part part) {
        Map<SelectorWord, List<String>> words = new EnumMap<>(SelectorWord.class);
        part.get("selectors").ifPresent(selectors -> {
            SELECTORS.forEach((key, word) -> read(selectors, key, word, words));
            selectors.others().forEach(key -> selectors.mistake(key + " is no selector of " + NAME + "; remove it"));
        });
        boolean hasSelectors = !words.isEmpty();
        read(part, "devices", SelectorWord.PF_NAMES, words);
        if (words.isEmpty()) {
            part.mistake("has neither selectors nor devices");
        } else if (hasSelectors && !part.elements("devices").isEmpty()) {
            part.mistake("has both selectors and devices, of which that plugin takes one");
        }
        return words;
    }

    private static void read(Part part, String key, SelectorWord word, Map<SelectorWord, List<String>> words) {
        List<String> values = part.texts(key);
        if (!values.isEmpty()) {
            words.put(word, values);
        }
        part.get(key)
                .ifPresent(where -> values.forEach(value ->
                        word.problem(value).ifPresent(problem -> where.mistake("\"" + value + "\" " + problem))));
    }

    private Optional<Kind> kind(
            Part part, ResourceName resource, Map<SelectorWord, List<String>> words, List<String> comments) {
        tellWhatIsNotTaken(part, words, comments);
        List<Device> hcas = classes.devices(resource, Kind.HCA, List.of(words));
        List<Device> vfs = words.containsKey(SelectorWord.PF_NAMES)
                ? List.of()
                : classes.devices(resource, Kind.VF, List.of(ofVfs(words)));
        classes.take(hcas);
        classes.take(vfs);
        if (!hcas.isEmpty() && !vfs.isEmpty()) {
            part.mistake("takes devices of several kinds on this node, and a class is of one kind: hca "
                    + hcas.getFirst().id() + ", vf " + vfs.getFirst().id() + "; make a resource of each");
            return Optional.empty();
        }
        return Optional.of(vfs.isEmpty() ? Kind.HCA : Kind.VF);
    }

    /** Adapters of this node that the plugin shares, and a class of kind hca does not take. */
    private void tellWhatIsNotTaken(Part part, Map<SelectorWord, List<String>> words, List<String> comments) {
        Map<SelectorWord, List<String>> withoutNames = new EnumMap<>(words);
        List<String> names =
                Optional.ofNullable(withoutNames.remove(SelectorWord.PF_NAMES)).orElse(List.of());
        Selector others = new Selector(withoutNames);
        for (Device device : classes.node().devices()) {
            if (!(device instanceof PciDevice pci) || device.rdmaDevices().isEmpty() || !takes(others, device)) {
                continue;
            }
            boolean isNamed =
                    names.isEmpty() || pci.function().netNames().stream().anyMatch(names::contains);
            if (isNamed && device instanceof Hca && pci.function().virtualFunctions() > 0) {
                comments.add(device.id() + " was shared, and is not handed out here, because it has VFs.");
            }
            if (isNamed && !names.isEmpty() && device instanceof VirtualFunction) {
                part.mistake(
                        "ifNames names VF " + device.id() + ", and VFs are chosen by the interface of their PF here");
            }
        }
    }

    private static boolean takes(Selector selector, Device device) {
        return selector.requirements(device).stream().allMatch(Requirement::isMet);
    }

    private static Map<SelectorWord, List<String>> ofVfs(Map<SelectorWord, List<String>> words) {
        Map<SelectorWord, List<String>> ofVfs = new EnumMap<>(words);
        ofVfs.put(SelectorWord.IS_RDMA, List.of("true"));
        return ofVfs;
    }

    private void write(
            ResourceName resource,
            Kind kind,
            int shares,
            Map<SelectorWord, List<String>> words,
            List<String> comments) {
        ClassText text = classes.text();
        text.beginClass(String.valueOf(resource), comments);
        text.string("kind", kind.word());
        text.comment(
                "rdmaHcaMax was the number of containers of the whole resource, and each got all of its adapters. Here "
                        + "each adapter has that many shares, and a container gets the adapters of the shares it asks for.");
        text.number("shares", shares);
        classes.write(List.of(kind == Kind.VF ? ofVfs(words) : words), List.of(List.of()));
    }
}
