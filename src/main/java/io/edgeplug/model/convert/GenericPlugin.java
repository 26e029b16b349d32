package io.edgeplug.model.convert;

import io.edgeplug.model.device.PathGroup;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.model.rules.Sharing;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The devices of generic-device-plugin, from {@code --device} or its configuration file: names, each with groups of
 * paths, as in its README.md and deviceplugin/path.go.
 */
final class GenericPlugin {

    static final String NAME = "generic-device-plugin";

    /** The plugin's own default. */
    static final String USUAL_DOMAIN = "squat.ai";

    private static final Pattern LIST = Pattern.compile("[^,\"\\\\]+(,[^,\"\\\\]+)+");

    private static final String ALL_TOGETHER = "That plugin made one device of all USB devices of a group, and handed"
            + " over their nodes in /dev/bus/usb. Here each USB device is one. Without the key nodes, a container also gets"
            + " its other nodes.";

    private final NewClasses classes;
    private final NodePaths paths;

    GenericPlugin(NewClasses classes) {
        this.classes = classes;
        this.paths = new NodePaths(classes.node().sysfs());
    }

    /** The devices of a configuration file. */
    void convertFile(Part file, String usualDomain) {
        String domain = file.text("domain").orElse(usualDomain);
        for (String key : List.of("devices", "device")) {
            file.elements(key).forEach(device -> convert(device, domain));
        }
        file.others().forEach(key -> classes.text().comment(key + " has no counterpart."));
    }

    /** One device, in the default domain. */
    void convert(Part device) {
        convert(device, USUAL_DOMAIN);
    }

    void convert(Part device, String usualDomain) {
        classes.attempt(device, () -> one(device, usualDomain));
    }

    private void one(Part device, String usualDomain) {
        if (!device.isTable()) {
            convertList(device, usualDomain);
            return;
        }
        int before = device.place().mistakes().count();
        Optional<ResourceName> resource = device.required("name")
                .flatMap(name -> classes.claim(device, classes.domain(usualDomain) + "/" + name.strip()));
        DraftClass common = new DraftClass();
        List<Part> groups = device.elements("groups");
        if (groups.isEmpty()) {
            device.mistake("has no groups");
        }
        groups.forEach(group -> read(group, common));
        device.others().forEach(key -> common.comments.add(key + " is not a key of a device and had no effect."));
        check(device, common);
        Optional<String> permissions = permissions(device, common);
        if (device.place().mistakes().count() == before) {
            common.write(classes, resource.orElseThrow(), permissions.orElse(""));
        }
    }

    /** A class has once what groups may have differently. */
    private static void check(Part device, DraftClass common) {
        if (common.shares.size() > 1) {
            device.mistake(
                    "count differs between its groups, but a class has one number of shares: give all groups the same count, or "
                            + "make two devices with two names of it");
        }
        if (!common.usbNodes.isEmpty() && !(common.single.isEmpty() && common.several.isEmpty())) {
            device.mistake(
                    "has paths and USB devices, but a class has one kind: make two devices with two names of it");
        }
        if (common.names.size() > 1
                || (!common.names.isEmpty() && (!common.several.isEmpty() || common.directories.size() > 1))) {
            device.mistake(
                    "mountPath gives files other names in the container, and a class with container_path does so for one"
                            + " file only: make a device with a name of its own for each");
        } else if (common.directories.size() > 1) {
            device.mistake(
                    "mountPath differs between its paths, but a class has one container_dir: give all paths the same "
                            + "directory, or make two devices with two names of it");
        }
    }

    /** The name and the paths, such as {@code video,/dev/video0}, which was the plugin's first form. */
    private void convertList(Part device, String usualDomain) {
        Optional<String> list = device.isList()
                ? Optional.empty()
                : device.text().filter(text -> LIST.matcher(text).matches());
        if (list.isEmpty()) {
            device.mistake("must be a device with name and groups");
            return;
        }
        SourceText.read(device.place(), spelledOut(list.orElseThrow())).forEach(one -> one(one, usualDomain));
    }

    private static String spelledOut(String list) {
        List<String> words = Stream.of(list.split(",")).map(String::strip).toList();
        String groups = words.stream()
                .skip(1)
                .map(path -> "{\"paths\": [{\"path\": \"" + path + "\"}]}")
                .collect(Collectors.joining(", "));
        return "{\"name\": \"" + words.getFirst() + "\", \"groups\": [" + groups + "]}";
    }

    private void read(Part group, DraftClass common) {
        if (!group.isTable()) {
            group.mistake("must be a group of paths");
            return;
        }
        int count = group.number("count").orElse(1);
        if (count > Sharing.MAX_SHARES) {
            group.mistake("count must be 1 to " + Sharing.MAX_SHARES + ", the shares that a device can have");
        }
        common.shares.add(Math.max(1, count));
        List<Part> usb = group.elements("usb");
        addUsb(usb, common);
        List<Part> all = group.elements("paths");
        if (all.isEmpty() && usb.isEmpty()) {
            group.mistake("has neither paths nor usb");
        }
        List<String> names = new ArrayList<>();
        Set<String> optional = new LinkedHashSet<>();
        for (Part path : all) {
            boolean isOptional = path.isTable() && path.truth("optional");
            path(path, common).ifPresent(name -> {
                names.add(name);
                if (isOptional) {
                    optional.add(name);
                }
            });
        }
        group.others().forEach(key -> common.comments.add(key + " is not a key of a group and had no effect."));
        // The first path names the devices, and all others follow its wildcards.
        names.sort(Comparator.<String, Boolean>comparing(optional::contains)
                .thenComparing(name -> !NewFiles.isPattern(name)));
        if (names.size() == 1) {
            common.single.add(names.getFirst());
        } else if (names.size() > 1) {
            addGroup(group, names, optional, common);
        }
    }

    private static void addUsb(List<Part> usb, DraftClass common) {
        if (!usb.isEmpty() && common.usbNodes.add("usb")) {
            common.comments.add(ALL_TOGETHER);
        }
        for (Part entry : usb) {
            common.addUsb(entry);
            entry.others().forEach(key -> common.comments.add(key + " is not a key of usb and had no effect."));
        }
    }

    private static void addGroup(Part group, List<String> names, Set<String> optional, DraftClass common) {
        if (optional.remove(names.getFirst())) {
            common.comments.add("All of its paths were optional. Here it is a device only while there is "
                    + names.getFirst() + ", which gives the device its name.");
        }
        try {
            common.several.add(new PathGroup(names, optional));
        } catch (IllegalArgumentException e) {
            group.mistake(String.valueOf(e.getMessage()));
        }
        if (names.stream().filter(NewFiles::isPattern).count() > 1) {
            common.comments.add(
                    "That plugin pairs files in the order of their names. edgeplug pairs files in which * stands for the same text.");
        }
    }

    /** The path as a class names it; empty if a mistake was added. */
    private Optional<String> path(Part path, DraftClass common) {
        Optional<String> text = path.isTable() ? path.required("path") : Optional.empty();
        if (text.isEmpty()) {
            if (!path.isTable()) {
                path.mistake("must be an object with a path");
            }
            return Optional.empty();
        }
        String name = text.orElseThrow().strip();
        if (name.matches(".*[\\[\\]\\\\].*")) {
            path.mistake("\"" + name + "\" has brackets or a backslash; write a path for each, with * and ? only");
        } else {
            SelectorWord.PATHS.problem(name).ifPresent(problem -> path.mistake("\"" + name + "\" " + problem));
        }
        if (path.number("limit").orElse(1) > 1 && NewFiles.isPattern(name)) {
            path.mistake("limit has no counterpart for a pattern; a path without * already goes to every device");
        }
        place(path, name, common);
        boolean isMount = path.text("type").equals(Optional.of("Mount"));
        boolean isReadOnly = path.truth("readOnly");
        String permissions = path.text("permissions").orElse("rw");
        if (isMount) {
            common.readOnly.add(isReadOnly);
        } else {
            common.permissions.add(permissions);
        }
        path.others().forEach(key -> common.comments.add(key + " is not a key of a path and had no effect."));
        if (NewFiles.isPattern(name) || !name.startsWith("/")) {
            return Optional.of(name);
        }
        String written = paths.asWritten(name);
        if (written.endsWith("/") && !isMount) {
            common.comments.add(written + " is a directory. A container gets the device nodes in it.");
        }
        return Optional.of(written);
    }

    /**
     * The permissions for all files of a class. By default, device nodes are writable and files are not. The plugin's
     * default also lets the container make device nodes, which no program needs.
     */
    private static Optional<String> permissions(Part device, DraftClass common) {
        String nodes = common.permissions.stream().findFirst().orElse("rw");
        boolean canWrite = nodes.contains("w");
        boolean isUsual = nodes.equals("rw") || nodes.equals("wr");
        boolean isMixed = common.permissions.size() > 1 || common.readOnly.size() > 1;
        if (isMixed
                || (common.readOnly.contains(true) && canWrite && !isUsual)
                || (common.readOnly.contains(false) && !canWrite)) {
            device.mistake(
                    "permissions or readOnly differ between its paths, but apply to a whole class here: give all paths "
                            + "the same, or make two devices with two names of it");
        }
        return isUsual && !common.readOnly.contains(false) ? Optional.empty() : Optional.of(nodes);
    }

    /** Where the file is in the container: at its own path, in a directory, or under another name. */
    private static void place(Part path, String name, DraftClass common) {
        Optional<String> mount = path.text("mountPath").map(String::strip).filter(text -> !text.isEmpty());
        if (mount.isEmpty() || mount.orElseThrow().equals(name)) {
            common.directories.add("");
            return;
        }
        String place = mount.orElseThrow();
        boolean isRenamed = !place.endsWith("/")
                && !place.substring(place.lastIndexOf('/') + 1).equals(name.substring(name.lastIndexOf('/') + 1));
        if (isRenamed) {
            common.names.add(place);
        } else {
            common.directories.add(place.substring(0, Math.max(1, place.lastIndexOf('/'))));
        }
    }
}
