package io.edgeplug.model.convert;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.NodeUse;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.SelectorWord;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The {@code config.json} of sriov-network-device-plugin: resources, each with a type of device and selectors, as in
 * its docs/README.md and pkg/types/types.go.
 */
record SriovPlugin(NewClasses classes) {

    static final String NAME = "sriov-network-device-plugin";

    private static final String USUAL_DOMAIN = "intel.com";

    /**
     * A type of device, with the kinds that it may have here. The first kind is used if the node does not show another
     * one.
     */
    private enum DeviceType {
        NETDEVICE("netDevice", "02", List.of(Kind.VF, Kind.NIC, Kind.HCA)),
        ACCELERATOR("accelerator", "12", List.of(Kind.VF, Kind.FPGA, Kind.PCI)),
        AUXNETDEVICE("auxNetDevice", "02", List.of(Kind.SF));

        private final String word;
        private final String pciClass;

        @SuppressWarnings("ImmutableEnumChecker") // an immutable list
        private final List<Kind> kinds;

        DeviceType(String word, String pciClass, List<Kind> kinds) {
            this.word = word;
            this.pciClass = pciClass;
            this.kinds = kinds;
        }

        static Optional<DeviceType> parse(String word) {
            return List.of(values()).stream()
                    .filter(type -> type.word.equals(word))
                    .findFirst();
        }
    }

    void convert(Part file) {
        file.objects("resourceList").forEach(part -> classes.attempt(part, () -> resource(part)));
        file.others().forEach(key -> classes.text().comment(key + " is not a key of " + NAME + " and had no effect."));
    }

    private void resource(Part part) {
        Optional<String> name = part.required("resourceName");
        String prefix =
                part.text("resourcePrefix").filter(text -> !text.isEmpty()).orElse(classes.domain(USUAL_DOMAIN));
        Optional<ResourceName> resource = name.flatMap(text -> classes.claim(part, prefix + "/" + text));
        String word = part.text("deviceType").filter(text -> !text.isEmpty()).orElse("netDevice");
        Optional<DeviceType> type = DeviceType.parse(word);
        if (type.isEmpty()) {
            part.mistake("deviceType \"" + word + "\" is none of netDevice, accelerator, auxNetDevice");
            return;
        }
        List<Selectors> selectors = selectors(part, type.orElseThrow());
        Map<String, Map<String, String>> info = additionalInfo(part, type.orElseThrow());
        boolean excludeTopology = part.truth("excludeTopology");
        boolean isSound = resource.isPresent()
                && !selectors.isEmpty()
                && selectors.stream().allMatch(Selectors::isSound);
        if (!isSound) {
            return;
        }
        List<String> comments = new ArrayList<>();
        part.others().forEach(key -> comments.add(key + " is not a key of " + NAME + " and had no effect."));
        Optional<Kind> kind = kind(part, resource.orElseThrow(), type.orElseThrow(), selectors, comments);
        kind.ifPresent(one -> {
            classes.text().beginClass(resource.orElseThrow(), one, comments);
            write(type.orElseThrow(), one, selectors, info, excludeTopology);
        });
    }

    private List<Selectors> selectors(Part part, DeviceType type) {
        Optional<Part> selectors = part.get("selectors");
        if (selectors.isEmpty()) {
            part.mistake("selectors is missing");
            return List.of();
        }
        List<Part> alternatives = selectors.orElseThrow().isTable()
                ? List.of(selectors.orElseThrow())
                : selectors.orElseThrow().elements();
        if (alternatives.isEmpty()) {
            selectors.orElseThrow().mistake("is empty");
        }
        List<Selectors> read = alternatives.stream()
                .map(one -> Selectors.read(one, type == DeviceType.AUXNETDEVICE, type == DeviceType.ACCELERATOR))
                .toList();
        if (read.stream().map(Selectors::needsVhostNet).distinct().count() > 1) {
            selectors
                    .orElseThrow()
                    .mistake("needVhostNet is set in some of the selectors only, but applies to a whole class here;"
                            + " split the resource");
        }
        return read;
    }

    private Optional<Kind> kind(
            Part part, ResourceName resource, DeviceType type, List<Selectors> selectors, List<String> comments) {
        List<Map<SelectorWord, List<String>>> matches =
                selectors.stream().map(one -> withClass(type, one)).toList();
        Map<Kind, List<Device>> found = new LinkedHashMap<>();
        for (Kind kind : type.kinds) {
            List<Device> devices = classes.devices(resource, kind, matches);
            if (!devices.isEmpty()) {
                found.put(kind, devices);
            }
        }
        found.values().forEach(classes::take);
        if (type == DeviceType.NETDEVICE) {
            // That plugin leaves PFs with VFs alone, too.
            classes.cutIntoParts(matches).stream()
                    .filter(pf -> pf.function().virtualFunctions() == 0)
                    .forEach(pf -> comments.add(
                            pf.id() + " belonged to it, but is not handed out here, because it has sub-functions."));
        }
        if (found.size() > 1) {
            part.mistake("takes devices of several kinds on this node, and a class has one kind: "
                    + found.entrySet().stream()
                            .map(kind -> kind.getKey().word() + " "
                                    + kind.getValue().getFirst().id())
                            .collect(Collectors.joining(", "))
                    + "; split it into a resource for each kind");
            return Optional.empty();
        }
        boolean namesVfs = selectors.stream().allMatch(Selectors::namesParts);
        if (found.isEmpty() && type.kinds.size() > 1 && !namesVfs) {
            comments.add("No device of this node belongs to it, so the kind is a guess: " + type.word + " may also be "
                    + type.kinds.stream().skip(1).map(Kind::word).collect(Collectors.joining(" or ")) + ".");
        }
        Kind kind = found.isEmpty()
                ? type.kinds.getFirst()
                : found.keySet().iterator().next();
        comments.addAll(differences(kind, found.getOrDefault(kind, List.of())));
        return Optional.of(kind);
    }

    /** What is not as it was there, for these devices of the node. */
    private static List<String> differences(Kind kind, List<Device> devices) {
        List<String> differences = new ArrayList<>();
        if (kind == Kind.FPGA) {
            differences.add("Device IDs are those of regions here, such as 0000:5e:00.0-region0.");
        }
        if (kind == Kind.HCA) {
            differences.add(
                    "An hca is handed out even if its interface carries the node's default route, because the interface stays on the node.");
            for (Device device : devices) {
                if (device instanceof PciDevice hca
                        && hca.function().nodeUse().level().alone() == NodeUse.Offer.NO) {
                    differences.add(
                            hca.id() + " has " + hca.function().nodeUse().text()
                                    + ", so that plugin left it out. To do so here, name the others under pci_addresses.");
                }
            }
        }
        return differences;
    }

    private void write(
            DeviceType type,
            Kind kind,
            List<Selectors> selectors,
            Map<String, Map<String, String>> info,
            boolean excludeTopology) {
        ClassText text = classes.text();
        if (excludeTopology) {
            text.truth("exclude_topology", true);
        }
        if (selectors.getFirst().needsVhostNet()) {
            text.truth("need_vhost_net", true);
        }
        if (!info.isEmpty()) {
            text.tables("additional_info", info);
        }
        classes.write(
                selectors.stream()
                        .map(one -> kind == Kind.SF ? one.words() : withClass(type, one))
                        .toList(),
                selectors.stream().map(Selectors::comments).toList());
    }

    /** The plugin sees only functions of the type's PCI class. An interface of the PF implies that class. */
    private static Map<SelectorWord, List<String>> withClass(DeviceType type, Selectors selectors) {
        Map<SelectorWord, List<String>> words = new EnumMap<>(SelectorWord.class);
        words.putAll(selectors.words());
        if (!words.containsKey(SelectorWord.PF_NAMES)) {
            words.put(SelectorWord.CLASSES, List.of(type.pciClass));
        }
        return words;
    }

    private static Map<String, Map<String, String>> additionalInfo(Part part, DeviceType type) {
        Map<String, Map<String, String>> info = new TreeMap<>();
        part.get("additionalInfo")
                .ifPresent(tables -> tables.all().forEach((device, table) -> {
                    Map<String, String> texts = new LinkedHashMap<>();
                    table.all().forEach((key, value) -> value.text().ifPresent(text -> texts.put(key, text)));
                    info.put(device, texts);
                    if (type == DeviceType.AUXNETDEVICE && !device.equals("*")) {
                        table.mistake(
                                "names a PCI address, but here it must be the name of the sub-function, such as mlx5_core.sf.4");
                    }
                }));
        return info;
    }
}
