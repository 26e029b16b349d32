package io.edgeplug.convert;

import io.edgeplug.device.PathGroup;
import io.edgeplug.device.ResourceName;
import io.edgeplug.rules.SelectorWord;
import io.edgeplug.rules.Sharing;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What generic-device-plugin is given by {@code --device} or in its configuration file: names, each with groups of paths,
 * as its README.md and deviceplugin/path.go have them.
 */
final class GenericPlugin {

    static final String NAME = "generic-device-plugin";

    private static final String USUAL_DOMAIN = "squat.ai";

    private final NewClasses classes;
    private final NodePaths paths;

    GenericPlugin(NewClasses classes) {
        this.classes = classes;
        this.paths = new NodePaths(classes.node().sysfs());
    }

    /** What all groups of a device have in common, as a class says it once. */
    private static final class Common {

        private final Set<Integer> shares = new LinkedHashSet<>();
        private final Set<String> directories = new LinkedHashSet<>();
        private final Set<String> permissions = new LinkedHashSet<>();
        private final List<String> single = new ArrayList<>();
        private final List<List<String>> several = new ArrayList<>();
        private final List<String> comments = new ArrayList<>();
    }

    /** The devices of a configuration file. */
    void convertFile(Part file) {
        String domain = file.text("domain").orElse(USUAL_DOMAIN);
        for (String key : List.of("devices", "device")) {
            file.elements(key).forEach(device -> convert(device, domain));
        }
        file.others().forEach(key -> classes.text().comment(key + " is an option of that plugin alone."));
    }

    /** One device, in the domain that is usual. */
    void convert(Part device) {
        convert(device, USUAL_DOMAIN);
    }

    void convert(Part device, String usualDomain) {
        if (!device.isTable()) {
            device.mistake("must be a device with name and groups");
            return;
        }
        int before = device.place().mistakes().count();
        Optional<ResourceName> resource = device.required("name")
                .flatMap(name -> classes.claim(device, classes.domain(usualDomain) + "/" + name.strip()));
        Common common = new Common();
        List<Part> groups = device.elements("groups");
        if (groups.isEmpty()) {
            device.mistake("has no groups");
        }
        groups.forEach(group -> read(group, common));
        device.others().forEach(key -> common.comments.add(key + " is no key of a device there and had no effect."));
        if (common.shares.size() > 1) {
            device.mistake("count differs between its groups, and counts for a whole class here; make two devices");
        }
        if (common.directories.size() > 1) {
            device.mistake("mountPath differs between its paths, and a class has one container_dir; make two devices");
        }
        if (common.permissions.size() > 1) {
            device.mistake("permissions differ between its paths, and count for a whole class here; make two devices");
        }
        if (device.place().mistakes().count() == before) {
            write(resource.orElseThrow(), common);
        }
    }

    private void read(Part group, Common common) {
        if (!group.isTable()) {
            group.mistake("must be a group of paths");
            return;
        }
        int count = group.number("count").orElse(1);
        if (count > Sharing.MAX_SHARES) {
            group.mistake("count must be 1 to " + Sharing.MAX_SHARES + ", the shares that a device can have");
        }
        common.shares.add(Math.max(1, count));
        group.get("usb")
                .filter(usb -> !usb.elements().isEmpty())
                .ifPresent(usb -> usb.mistake("USB devices are not chosen by their IDs: let a udev rule name them with"
                        + " SYMLINK+=, and convert that path"));
        List<Part> all = group.elements("paths");
        if (all.isEmpty() && !group.has("usb")) {
            group.mistake("has no paths");
        }
        List<String> names = new ArrayList<>();
        all.forEach(path -> names.addAll(read(path, all.size() > 1, common)));
        group.others().forEach(key -> common.comments.add(key + " is no key of a group there and had no effect."));
        // the first names the devices, and all others follow its wildcards
        names.sort((one, other) -> Boolean.compare(isPattern(other), isPattern(one)));
        if (names.size() == 1) {
            common.single.add(names.getFirst());
        } else if (names.size() > 1) {
            addGroup(group, names, common);
        }
    }

    private static void addGroup(Part group, List<String> names, Common common) {
        try {
            common.several.add(new PathGroup(names).paths());
        } catch (IllegalArgumentException e) {
            group.mistake(String.valueOf(e.getMessage()));
        }
        if (names.stream().filter(GenericPlugin::isPattern).count() > 1) {
            common.comments.add("Files were paired in the order of their names; here they are by what * stands for.");
        }
    }

    /** The paths that one becomes: several if it is a directory of device nodes. */
    private List<String> read(Part path, boolean isOneOfSeveral, Common common) {
        Optional<String> text = path.isTable() ? path.required("path") : Optional.empty();
        if (text.isEmpty()) {
            path.mistake("must have a path");
            return List.of();
        }
        String name = text.orElseThrow().strip();
        if (name.matches(".*[\\[\\]\\\\].*")) {
            path.mistake("\"" + name + "\" has brackets or a backslash; write a path for each, with * and ? only");
        } else {
            SelectorWord.PATHS.problem(name).ifPresent(problem -> path.mistake("\"" + name + "\" " + problem));
        }
        if (path.number("limit").orElse(1) > 1 && isPattern(name)) {
            path.mistake("limit of files that a pattern names cannot be said; a path without * goes to every device");
        }
        if (path.truth("optional") && isOneOfSeveral) {
            path.mistake("optional cannot be said: a device is unhealthy while one of its files is missing");
        }
        common.directories.add(containerDirectory(path, name));
        boolean isMount = path.text("type").equals(Optional.of("Mount"));
        boolean isReadOnly = path.truth("readOnly");
        common.permissions.add(isMount ? isReadOnly ? "" : "rw" : permissions(path));
        path.others().forEach(key -> common.comments.add(key + " is no key of a path there and had no effect."));
        return isPattern(name) ? List.of(name) : places(path, name, isMount, common);
    }

    private List<String> places(Part path, String name, boolean isMount, Common common) {
        if (!name.startsWith("/") || !paths.isDirectory(name)) {
            return List.of(name);
        }
        if (isMount) {
            return List.of(name.endsWith("/") ? name : name + "/");
        }
        try {
            List<String> nodes = paths.below(name).stream()
                    .filter(node -> !paths.isDirectory(node))
                    .toList();
            common.comments.add(
                    name + " is a directory of device nodes. A container got those that were in it; here it gets"
                            + " those that are in it on this node now.");
            return nodes;
        } catch (IOException e) {
            path.mistake("cannot be read on this node: " + e.getMessage());
            return List.of();
        }
    }

    /** Device nodes could be made there if nothing was said, which no program needs. */
    private static String permissions(Part path) {
        String said = path.text("permissions").orElse("mrw");
        boolean isUsual = said.length() == 3 && said.chars().allMatch(c -> "rwm".indexOf(c) >= 0);
        return isUsual && path.get("permissions").isEmpty() ? "rw" : said;
    }

    private static String containerDirectory(Part path, String name) {
        Optional<String> mount = path.text("mountPath").map(String::strip).filter(text -> !text.isEmpty());
        if (mount.isEmpty() || mount.orElseThrow().equals(name)) {
            return "";
        }
        String place = mount.orElseThrow();
        if (!place.endsWith("/")
                && !place.substring(place.lastIndexOf('/') + 1).equals(name.substring(name.lastIndexOf('/') + 1))) {
            path.mistake("mountPath \"" + place
                    + "\" names the file otherwise in the container, where it keeps its name here;"
                    + " a directory with a / at its end can be said");
        }
        return place.substring(0, Math.max(1, place.lastIndexOf('/')));
    }

    private static boolean isPattern(String path) {
        return path.indexOf('*') >= 0 || path.indexOf('?') >= 0;
    }

    private void write(ResourceName resource, Common common) {
        ClassText text = classes.text();
        text.beginClass(String.valueOf(resource), common.comments);
        text.string("kind", "path");
        common.permissions.stream()
                .filter(one -> !one.isEmpty() && !one.equals("rw"))
                .forEach(one -> {
                    text.comment("m lets the container make device nodes. Leave it out unless its program does that.");
                    text.string("permissions", one);
                });
        if (common.permissions.equals(Set.of("rw"))) {
            text.string("permissions", "rw");
        }
        common.directories.stream().filter(one -> !one.isEmpty()).forEach(one -> text.string("container_dir", one));
        common.shares.stream().filter(count -> count > 1).forEach(count -> text.number("shares", count));
        if (!common.single.isEmpty()) {
            text.table("[class.match]", List.of());
            text.strings("paths", common.single);
        }
        for (List<String> group : common.several) {
            text.table("[[class.groups]]", List.of());
            text.strings("paths", group);
        }
    }
}
