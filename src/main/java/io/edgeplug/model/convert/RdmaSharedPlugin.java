package io.edgeplug.model.convert;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Hca;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The {@code config.json} of k8s-rdma-shared-dev-plugin: resources, each with selectors of RDMA adapters and the number
 * of containers that share them, as in its README.md.
 */
record RdmaSharedPlugin(NewClasses classes) {

    static final String NAME = "k8s-rdma-shared-dev-plugin";

    private static final String USUAL_DOMAIN = "rdma";

    private static final Map<String, SelectorWord> SELECTORS = Map.of(
            "vendors", SelectorWord.VENDORS,
            "deviceIDs", SelectorWord.DEVICES,
            "drivers", SelectorWord.DRIVERS,
            "ifNames", SelectorWord.PF_NAMES,
            "linkTypes", SelectorWord.LINK_TYPES);

    void convert(Part file) {
        file.get("periodicUpdateInterval")
                .ifPresent(interval -> classes.text()
                        .comment("periodicUpdateInterval has no counterpart, because edgeplug sees changes at once."));
        file.objects("configList").forEach(part -> classes.attempt(part, () -> resource(part)));
        file.others().forEach(key -> classes.text().comment(key + " is not a key of " + NAME + " and had no effect."));
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
        part.others().forEach(key -> comments.add(key + " is not a key of " + NAME + " and had no effect."));
        if (part.place().mistakes().count() > before) {
            return;
        }
        Optional<Kind> kind = kind(part, resource.orElseThrow(), words, comments);
        kind.ifPresent(one -> write(resource.orElseThrow(), one, shares.getAsInt(), words, comments));
    }

    private static Map<SelectorWord, List<String>> words(Part part) {
        Map<SelectorWord, List<String>> words = new EnumMap<>(SelectorWord.class);
        part.get("selectors").ifPresent(selectors -> {
            SELECTORS.forEach((key, word) -> selectors.select(key, word, words));
            selectors.others().forEach(key -> selectors.mistake(key + " is not a selector of " + NAME + "; remove it"));
        });
        boolean hasSelectors = !words.isEmpty();
        part.select("devices", SelectorWord.PF_NAMES, words);
        if (words.isEmpty()) {
            part.mistake("has neither selectors nor devices");
        } else if (hasSelectors && !part.elements("devices").isEmpty()) {
            part.mistake("has both selectors and devices, which that plugin refuses; remove one of them");
        }
        return words;
    }

    private Optional<Kind> kind(
            Part part, ResourceName resource, Map<SelectorWord, List<String>> words, List<String> comments) {
        tellWhatIsNotTaken(part, words, comments);
        List<Device> hcas = classes.devices(resource, Kind.HCA, List.of(words));
        classes.devicesOfOthers(resource, Kind.HCA, List.of(words))
                .forEach(device -> comments.add(device.id()
                        + " was shared by this resource too. Here it belongs only to the first class that takes it."));
        List<Device> vfs = words.containsKey(SelectorWord.PF_NAMES)
                ? List.of()
                : classes.devices(resource, Kind.VF, List.of(ofVfs(words)));
        classes.take(hcas);
        classes.take(vfs);
        if (!hcas.isEmpty() && !vfs.isEmpty()) {
            part.mistake("takes devices of several kinds on this node, and a class has one kind: hca "
                    + hcas.getFirst().id() + ", vf " + vfs.getFirst().id()
                    + "; split it into a resource for each kind");
            return Optional.empty();
        }
        return Optional.of(vfs.isEmpty() ? Kind.HCA : Kind.VF);
    }

    /** Comments on devices of this node that the plugin shares and a class does not take. */
    private void tellWhatIsNotTaken(Part part, Map<SelectorWord, List<String>> words, List<String> comments) {
        classes.cutIntoParts(List.of(words)).stream()
                .filter(Hca.class::isInstance)
                .forEach(pf -> comments.add(
                        pf.id() + " was shared, but is not handed out here, because it has VFs or sub-functions."));
        Map<SelectorWord, List<String>> withoutNames = new EnumMap<>(words);
        List<String> names = Objects.requireNonNullElse(withoutNames.remove(SelectorWord.PF_NAMES), List.of());
        Selector others = new Selector(withoutNames);
        for (Device device : classes.node().devices()) {
            if (device instanceof VirtualFunction vf
                    && vf.function().netNames().stream().anyMatch(names::contains)
                    && !vf.rdmaDevices().isEmpty()
                    && NewClasses.areMet(others, vf)) {
                part.mistake("names the interface of VF " + vf.id()
                        + ", but VFs are chosen by the interface of their PF here; use vendors and deviceIDs");
            }
        }
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
        text.beginClass(resource, kind, comments);
        text.comment(
                "rdmaHcaMax limited the whole resource, and each container got all adapters of the resource. Here each "
                        + "adapter has this many shares, and a container gets the adapters whose shares it asks for.");
        text.number("shares", shares);
        classes.write(List.of(kind == Kind.VF ? ofVfs(words) : words), List.of(List.of()));
    }
}
