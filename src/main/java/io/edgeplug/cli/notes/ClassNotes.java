package io.edgeplug.cli.notes;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.NodeUse;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.kernel.PlainText;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Notes on likely slips in a configuration: classes that overlap or take nothing. */
public final class ClassNotes {

    /** Of a PF's 256 VFs, the first few are enough. */
    private static final int MAX_NAMED = 3;

    private static final List<SelectorWord> PATTERNS = List.of(
            SelectorWord.DRIVERS,
            SelectorWord.PF_NAMES,
            SelectorWord.AUX_TYPES,
            SelectorWord.PATHS,
            SelectorWord.SERIALS);
    private static final Pattern OF_A_SHELL = Pattern.compile("[\\[\\]{}]|\\*\\*");

    /** The directory itself has no number. */
    private static final Pattern NUMBERED = Pattern.compile("/dev/bus/usb/.+");

    private final List<DeviceClass> classes;
    private final List<String> notes = new ArrayList<>();

    private ClassNotes(List<DeviceClass> classes) {
        this.classes = classes;
    }

    /** Notes on the classes alone, for any node. */
    public static List<String> of(List<DeviceClass> classes) {
        ClassNotes all = new ClassNotes(classes);
        for (int i = 0; i < classes.size(); i++) {
            all.unreachable(classes.get(i), classes.subList(0, i));
            all.literal(classes.get(i));
            all.numbered(classes.get(i));
        }
        return all.notes;
    }

    /** Notes on the classes with this node. */
    public static List<String> of(List<DeviceClass> classes, Inventory inventory, Sysfs sysfs) {
        ClassNotes all = new ClassNotes(classes);
        for (DeviceClass one : classes) {
            all.onNode(one, inventory, sysfs);
        }
        return all.notes;
    }

    private void note(DeviceClass one, String text) {
        notes.add(one.resource() + ": " + text);
    }

    private void unreachable(DeviceClass one, List<DeviceClass> earlier) {
        List<Selector> selectors = one.selectors();
        for (int i = 0; i < selectors.size(); i++) {
            Selector selector = selectors.get(i);
            String subject = selectors.size() == 1 ? "it takes nothing" : "match " + (i + 1) + " takes nothing";
            if (neverMatches(one.kind(), selector)) {
                note(one, subject + ": what has RDMA devices is of kind hca, or a vf, and what has none is not");
            }
            firstCovering(selectors.subList(0, i), selector)
                    .ifPresent(number -> note(one, subject + " that match " + number + " does not"));
            earlier.stream()
                    .filter(other -> !areFaces(one, other))
                    .filter(other -> other.kind() == one.kind()
                            && firstCovering(other.selectors(), selector).isPresent())
                    .findFirst()
                    .ifPresent(other -> note(
                            one, subject + ": " + other.resource() + ", which comes first, takes all that matches"));
        }
    }

    /** A pattern of a shell, such as {@code [0-9]} or {@code **}, does not mean these characters themselves. */
    private void literal(DeviceClass one) {
        for (SelectorWord word : PATTERNS) {
            one.selectors().stream()
                    .flatMap(selector -> selector.values(word).stream())
                    .forEach(text -> literal(one, word.word(), text));
        }
        one.groups().forEach(group -> group.paths().forEach(text -> literal(one, "groups.paths", text)));
    }

    private void literal(DeviceClass one, String key, String text) {
        if (OF_A_SHELL.matcher(text).find()) {
            note(
                    one,
                    key + ": \"" + text
                            + "\" is taken literally: only * and ? are patterns, each within one name;"
                            + " brackets, braces and ** are not");
        }
    }

    private void numbered(DeviceClass one) {
        List<String> numbered = Stream.concat(
                        one.selectors().stream().flatMap(selector -> selector.values(SelectorWord.PATHS).stream()),
                        one.groups().stream().flatMap(group -> group.paths().stream()))
                .filter(path -> NUMBERED.matcher(path).matches())
                .toList();
        if (!numbered.isEmpty()) {
            note(
                    one,
                    "paths: bus and device numbers change each time that a device is plugged in: " + some(numbered)
                            + "; a class of kind usb takes devices by what they are");
        }
    }

    /** A whole function with RDMA devices is an HCA, and no other function is. */
    private static boolean neverMatches(Kind kind, Selector selector) {
        List<String> isRdma = selector.values(SelectorWord.IS_RDMA);
        return switch (kind) {
            case NIC -> isRdma.equals(List.of("true"));
            case HCA -> isRdma.equals(List.of("false"));
            case VF, SF, FPGA, PCI, PATH, USB -> false;
        };
    }

    /** The number, from 1, of the first selector that takes all devices of {@code selector}. */
    private static Optional<Integer> firstCovering(List<Selector> selectors, Selector selector) {
        for (int i = 0; i < selectors.size(); i++) {
            if (selectors.get(i).covers(selector)) {
                return Optional.of(i + 1);
            }
        }
        return Optional.empty();
    }

    private void onNode(DeviceClass one, Inventory inventory, Sysfs sysfs) {
        one.trustOwner()
                .ifPresent(name -> note(
                        one,
                        "trust_owner: " + name
                                + " decides which files of this node its containers get, also /etc/shadow"));
        sharedGroups(one, inventory);
        FileNotes files = new FileNotes(classes, inventory, sysfs);
        files.of(one).forEach(text -> note(one, text));
        PfNames names = new PfNames(inventory.devices(), sysfs);
        one.selectors().forEach(selector -> names.of(selector).forEach(text -> note(one, text)));
        usedByNode(one, inventory);
        boolean matchesNone = true;
        for (DeviceClass owner : classes) {
            List<String> devices = inventory.items().stream()
                    .filter(item -> item.deviceClass().equals(Optional.of(owner)))
                    .map(Item::device)
                    .filter(one::takes)
                    .map(Device::id)
                    .toList();
            matchesNone &= devices.isEmpty();
            if (!owner.equals(one) && !devices.isEmpty() && !areFaces(one, owner)) {
                note(
                        one,
                        "would also take what belongs to " + owner.resource() + ", which comes first: "
                                + some(devices));
            }
        }
        if (matchesNone && files.ofOthers(one).isEmpty()) {
            note(one, "no device of this node matches");
            NearMisses.of(one, inventory.devices()).forEach(text -> note(one, text));
        }
        List<Integer> absent = one.placement().numaNodes().stream()
                .filter(node -> !inventory.numaNodes().contains(node))
                .toList();
        if (!absent.isEmpty()) {
            note(one, "numa_nodes: this node has none with the number " + absent.getFirst());
        }
    }

    /** Only one container at a time can have members of such a group. */
    private void sharedGroups(DeviceClass one, Inventory inventory) {
        Map<Integer, Set<String>> groups = new TreeMap<>();
        Set<Integer> own = new HashSet<>();
        for (Item item : inventory.items()) {
            item.deviceClass()
                    .map(taker -> taker.vfioGroup(item.device()))
                    .ifPresent(group -> group.ifPresent(number -> {
                        groups.computeIfAbsent(number, none -> new LinkedHashSet<>())
                                .add(item.device().id());
                        if (item.deviceClass().equals(Optional.of(one))) {
                            own.add(number);
                        }
                    }));
        }
        groups.forEach((number, ids) -> {
            if (own.contains(number) && ids.size() > 1) {
                note(
                        one,
                        "one container at a time can have devices of IOMMU group " + number + ", and all that it gets "
                                + "must be of one resource: " + some(List.copyOf(ids)));
            }
        });
    }

    private void usedByNode(DeviceClass one, Inventory inventory) {
        List<String> used = inventory.items().stream()
                .filter(item -> item.deviceClass().equals(Optional.of(one)))
                .map(Item::device)
                .filter(device -> one.offer(device) == NodeUse.Offer.WITH_NOTE)
                .map(device -> device.id() + " has " + one.nodeUse(device).text())
                .toList();
        if (!used.isEmpty()) {
            note(one, "the node itself uses what is offered: " + some(used));
        }
    }

    /** Classes with {@code faces} are meant to take the same devices. */
    private static boolean areFaces(DeviceClass one, DeviceClass other) {
        return one.isFace() && other.isFace();
    }

    static String some(List<String> ids) {
        return PlainText.some(ids, MAX_NAMED);
    }
}
