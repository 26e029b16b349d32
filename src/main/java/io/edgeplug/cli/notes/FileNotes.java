package io.edgeplug.cli.notes;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.node.scan.FileScan;
import io.edgeplug.system.files.Sysfs;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Notes on the files and USB devices that a class names and does not get, or not alone. */
record FileNotes(List<DeviceClass> classes, Inventory inventory, Sysfs sysfs) {

    /** The notes on a class; none if it takes neither files nor USB devices. */
    List<String> of(DeviceClass one) {
        if (one.kind() == Kind.USB) {
            return withoutId(one);
        }
        if (one.kind() != Kind.PATH) {
            return List.of();
        }
        List<String> notes = new ArrayList<>(ofOthers(one));
        notes.addAll(withoutId(one));
        one.identity().sharedWith().stream()
                .filter(name ->
                        classes.stream().noneMatch(other -> other.resource().equals(name)))
                .sorted((first, second) -> first.toString().compareTo(second.toString()))
                .forEach(name -> notes.add("shared_with: no class has the resource " + name));
        notes.addAll(alsoOfOthers(one));
        return notes;
    }

    /** Files that belong to earlier classes, with others than they have in this class. */
    List<String> ofOthers(DeviceClass one) {
        Map<ResourceName, List<String>> lost = new LinkedHashMap<>();
        for (PathDevice alone : new FileScan(sysfs).paths(List.of(one.files())).devices()) {
            List<PathDevice> there = at(alone.path());
            if (there.stream().noneMatch(one::takes)) {
                there.stream()
                        .flatMap(device -> owner(device).stream())
                        .findFirst()
                        .ifPresent(owner -> lost.computeIfAbsent(owner, none -> new ArrayList<>())
                                .add(alone.path()));
            }
        }
        return lost.entrySet().stream()
                .map(entry -> "files that it names belong to " + entry.getKey() + ", which comes first: "
                        + ClassNotes.some(entry.getValue())
                        + "; with shared_with = [\"" + entry.getKey() + "\"], both classes have these files")
                .toList();
    }

    private List<PathDevice> at(String path) {
        return inventory.devices().stream()
                .filter(device ->
                        device instanceof PathDevice file && file.path().equals(path))
                .map(PathDevice.class::cast)
                .toList();
    }

    private Optional<ResourceName> owner(Device device) {
        return inventory.items().stream()
                .filter(item -> item.device().equals(device))
                .findFirst()
                .flatMap(Item::resource);
    }

    /** Files and USB devices that no class can offer under their names. */
    private List<String> withoutId(DeviceClass one) {
        Map<String, List<String>> byProblem = new LinkedHashMap<>();
        for (Item item : inventory.items()) {
            if (item.resource().isEmpty()
                    && item.device().kind() == one.kind()
                    && classes.stream()
                            .filter(other -> other.takes(item.device()))
                            .findFirst()
                            .equals(Optional.of(one))) {
                byProblem
                        .computeIfAbsent(item.device().health().problem().orElse(""), none -> new ArrayList<>())
                        .add(place(item.device()));
            }
        }
        String noun = one.kind() == Kind.USB ? "device" : "file";
        String other = one.kind() == Kind.USB ? "port" : "{name}-{hash}";
        return byProblem.entrySet().stream()
                .map(entry -> (entry.getValue().size() == 1
                                ? "a " + noun + " is"
                                : entry.getValue().size() + " " + noun + "s are")
                        + " left out: " + ClassNotes.some(entry.getValue()) + ": " + entry.getKey()
                        + "; the key id gives other IDs, such as id = \"" + other + "\"")
                .toList();
    }

    private static String place(Device device) {
        return switch (device) {
            case PathDevice file -> file.path();
            case UsbDevice usb -> usb.port().path();
            default -> device.id();
        };
    }

    /** Nothing keeps the kubelet from giving a file to two pods, as two devices. Faces of one device exclude each other. */
    private List<String> alsoOfOthers(DeviceClass one) {
        NavigableMap<String, String> first = new TreeMap<>();
        List<String> twice = new ArrayList<>();
        for (Item item : inventory.items()) {
            if (item.device() instanceof PathDevice path && item.resource().isPresent() && !item.isFace()) {
                String own = path.id() + " of " + item.resource().orElseThrow();
                boolean isOne = item.deviceClass().equals(Optional.of(one));
                for (PathDevice.File file : path.files()) {
                    if (file.found().isPresent()) {
                        other(first, file.hostPath())
                                .filter(other -> isOne && !other.equals(own))
                                .ifPresent(other -> twice.add(file.hostPath() + " as " + other + " and as " + own));
                        first.putIfAbsent(file.hostPath(), own);
                    }
                }
            }
        }
        return twice.isEmpty()
                ? List.of()
                : List.of("two pods can have the same file at a time: " + ClassNotes.some(twice));
    }

    /** Who has the file, its directory, or a file in it. */
    private static Optional<String> other(NavigableMap<String, String> known, String path) {
        Stream<String> itself = Stream.ofNullable(known.get(path));
        // In ASCII, 0 comes after the slash.
        Stream<String> below = known.subMap(path + "/", path + "0").values().stream();
        Stream<String> above = known.headMap(path).entrySet().stream()
                .filter(entry -> path.startsWith(entry.getKey() + "/"))
                .map(Map.Entry::getValue);
        return Stream.of(itself, below, above).flatMap(found -> found).findFirst();
    }
}
