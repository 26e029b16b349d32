package io.edgeplug.model.convert;

import io.edgeplug.model.rules.SelectorWord;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Selectors of a resource of sriov-network-device-plugin, as keys of {@code [class.match]}.
 *
 * @param comments how the keys differ from the selectors
 * @param isSound whether there was no mistake
 */
record Selectors(Map<SelectorWord, List<String>> words, List<String> comments, boolean needsVhostNet, boolean isSound) {

    private static final List<String> OF_PCI = List.of("vendors", "devices", "drivers", "pciAddresses");
    private static final List<String> OF_NETWORK = List.of(
            "vendors",
            "devices",
            "drivers",
            "pciAddresses",
            "acpiIndexes",
            "pfNames",
            "rootDevices",
            "linkTypes",
            "pKeys");
    private static final List<String> OF_AUXILIARY =
            List.of("vendors", "devices", "drivers", "pfNames", "rootDevices", "linkTypes", "auxTypes");

    /** Reads an object of selectors. */
    static Selectors read(Part part, boolean isAuxiliary, boolean isAccelerator) {
        if (!part.isTable()) {
            part.mistake("must be an object");
            return new Selectors(Map.of(), List.of(), false, false);
        }
        int before = part.place().mistakes().count();
        List<String> comments = new ArrayList<>();
        Map<SelectorWord, List<String>> words = new EnumMap<>(SelectorWord.class);
        for (String key : isAuxiliary ? OF_AUXILIARY : isAccelerator ? OF_PCI : OF_NETWORK) {
            part.select(key, word(key), words);
        }
        if (!isAuxiliary && words.putIfAbsent(SelectorWord.DRIVERS, List.of("*")) == null) {
            comments.add("That plugin leaves out functions without a driver.");
        }
        if (isAuxiliary) {
            inWordsOfSubFunctions(part, words, comments);
        }
        firstOfEachPf(words, SelectorWord.PF_NAMES, comments);
        firstOfEachPf(words, SelectorWord.ROOT_DEVICES, comments);
        boolean needsVhostNet = !isAccelerator && network(part, isAuxiliary, words);
        part.others().forEach(key -> comments.add(key + " had no effect on such devices."));
        return new Selectors(
                words, comments, needsVhostNet, part.place().mistakes().count() == before);
    }

    private static boolean network(Part part, boolean isAuxiliary, Map<SelectorWord, List<String>> words) {
        if (part.truth("isRdma")) {
            words.put(SelectorWord.IS_RDMA, List.of("true"));
        }
        if (!isAuxiliary) {
            Optional<String> vdpa = part.text("vdpaType").filter(text -> !text.isEmpty());
            vdpa.flatMap(SelectorWord.VDPA_TYPE::problem)
                    .ifPresent(problem -> part.mistake("vdpaType \"" + vdpa.orElseThrow() + "\" " + problem));
            vdpa.ifPresent(text -> words.put(SelectorWord.VDPA_TYPE, List.of(text)));
            if (vdpa.isPresent() && words.containsKey(SelectorWord.IS_RDMA)) {
                part.mistake("vdpaType and isRdma exclude each other");
            }
            part.get("ddpProfiles")
                    .filter(profiles -> !profiles.elements().isEmpty())
                    .ifPresent(
                            profiles -> profiles.mistake(
                                    "has no counterpart, because the kernel shows DDP profiles through devlink only; use pfNames or pciAddresses"));
        }
        return part.truth("needVhostNet");
    }

    /** The plugin compares the driver of the PF, and a class that of the sub-function, which may have none yet. */
    private static void inWordsOfSubFunctions(Part part, Map<SelectorWord, List<String>> words, List<String> comments) {
        if (!words.getOrDefault(SelectorWord.AUX_TYPES, List.of()).equals(List.of("sf"))) {
            part.mistake("auxTypes must be [\"sf\"], because other auxiliary devices cannot be handed out");
        }
        List<String> drivers = Objects.requireNonNullElse(words.remove(SelectorWord.DRIVERS), List.of());
        if (!drivers.isEmpty()) {
            comments.add("drivers named the driver of the PF (" + String.join(", ", drivers)
                    + ") and is left out, because here it means the driver of the sub-function.");
        }
    }

    /** If a PF was named twice, only the first counted. */
    private static void firstOfEachPf(Map<SelectorWord, List<String>> words, SelectorWord word, List<String> comments) {
        Set<String> seen = new HashSet<>();
        words.computeIfPresent(word, (key, values) -> {
            List<String> first = new ArrayList<>();
            for (String value : values) {
                if (seen.add(value.split("#", -1)[0].toLowerCase(Locale.ROOT))) {
                    first.add(value);
                } else {
                    comments.add(value + " had no effect, because " + word.word() + " already named that PF.");
                }
            }
            return first;
        });
    }

    /** {@code PF_NAMES} for {@code pfNames}. */
    private static SelectorWord word(String key) {
        return SelectorWord.valueOf(key.replaceAll("([A-Z])", "_$1").toUpperCase(Locale.ROOT));
    }

    /** Whether they can only mean parts of PFs, because they have their numbers. */
    boolean namesParts() {
        return List.of(SelectorWord.PF_NAMES, SelectorWord.ROOT_DEVICES).stream()
                .map(word -> words.getOrDefault(word, List.of()))
                .anyMatch(values -> !values.isEmpty() && values.stream().allMatch(value -> value.contains("#")));
    }
}
