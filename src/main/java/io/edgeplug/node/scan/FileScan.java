package io.edgeplug.node.scan;

import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.IdentifiedNode;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PathGroup;
import io.edgeplug.model.device.PathGroup.Member;
import io.edgeplug.model.rules.FileRules;
import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.FarPathException;
import io.edgeplug.system.files.FileKind;
import io.edgeplug.system.files.PathGlob;
import io.edgeplug.system.files.PathGlob.TooManyFilesException;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Makes devices of the files that classes name. A file belongs to the first class that names it, also if that class
 * names it as the first of a group. Another class has it too only if the two say so, and then as a device of its own.
 */
public final class FileScan {

    /** The daemon's heap has room for this many devices. */
    public static final int MAX_FILES = 4096;

    private final Sysfs sysfs;
    private final NodeOrigin origins;

    public FileScan(Sysfs sysfs) {
        this.sysfs = sysfs;
        this.origins = new NodeOrigin(sysfs);
    }

    /**
     * The files that were found.
     *
     * @param problems a line for each pattern that could not be followed, in their order
     * @param excess the problems of patterns that name too many files for any node, which are mistakes in the
     *     configuration
     */
    public record Found(List<PathDevice> devices, Map<PathGlob, String> problems, List<String> excess) {

        public Found {
            devices = List.copyOf(devices);
            problems = Collections.unmodifiableMap(new LinkedHashMap<>(problems));
            excess = List.copyOf(excess);
        }
    }

    /** How a class names a file: alone, or with others. */
    private record Naming(FileRules rules, Optional<PathGroup> group) {}

    /**
     * The files that these classes name, in order. A directory that cannot be listed is a problem in the result. Within
     * a class, a file that is the first of a group is no device by itself.
     *
     * @param classes in their order
     */
    public Found paths(List<FileRules> classes) {
        Map<String, List<Naming>> named = new TreeMap<>();
        Set<String> directories = new HashSet<>();
        Map<PathGlob, String> problems = new LinkedHashMap<>();
        List<String> excess = new ArrayList<>();
        Map<PathGlob, List<String>> known = new LinkedHashMap<>();
        int left = MAX_FILES;
        for (FileRules one : classes) {
            for (PathGroup group : one.groups()) {
                List<String> paths = glob(group.first(), left / group.paths().size(), problems, excess);
                left -= paths.size() * group.paths().size();
                paths.forEach(path -> add(named, path, new Naming(one, Optional.of(group))));
            }
            for (PathGlob pattern : one.patterns()) {
                List<String> paths = known.get(pattern);
                if (paths == null) {
                    paths = glob(pattern, left, problems, excess);
                    left -= paths.size();
                    known.put(pattern, paths);
                }
                paths.forEach(path -> add(named, path, new Naming(one, Optional.empty())));
                if (pattern.namesDirectories()) {
                    directories.addAll(paths);
                }
            }
        }
        List<PathDevice> devices = new ArrayList<>();
        named.forEach((path, namings) -> devices.addAll(devices(path, namings, directories.contains(path))));
        return new Found(devices, problems, excess);
    }

    private static void add(Map<String, List<Naming>> named, String path, Naming naming) {
        named.computeIfAbsent(path, none -> new ArrayList<>(1)).add(naming);
    }

    /**
     * The devices that a scan of all paths would make of the file at that path. None if there is no such file, or if no
     * class names it.
     */
    public List<PathDevice> path(String path, List<FileRules> classes) {
        List<Naming> namings = new ArrayList<>();
        boolean isDirectory = false;
        for (FileRules one : classes) {
            one.groups().stream()
                    .filter(group -> group.first().matches(path))
                    .forEach(group -> namings.add(new Naming(one, Optional.of(group))));
            for (PathGlob pattern : one.patterns()) {
                if (pattern.matches(path)) {
                    namings.add(new Naming(one, Optional.empty()));
                    isDirectory |= pattern.namesDirectories();
                }
            }
        }
        return devices(path, namings, isDirectory);
    }

    /** The IDs that a file at that path has, or would have if it were there: one of each class that names it. */
    public static Set<String> ids(String path, List<FileRules> classes) {
        PathDevice.File missing = new PathDevice.File(path, Optional.empty());
        PathDevice device = new PathDevice(PathDevice.id(path), List.of(missing), Optional.empty(), Health.GONE);
        return classes.stream()
                .filter(one -> one.patterns().stream().anyMatch(pattern -> pattern.matches(path))
                        || one.groups().stream().anyMatch(group -> group.first().matches(path)))
                .map(one -> one.own(device).id())
                .collect(Collectors.toSet());
    }

    /** A class that shares the file has a device of its own, so that no other class takes it. */
    private List<PathDevice> devices(String path, List<Naming> namings, boolean isDirectory) {
        List<FileRules> takers = new ArrayList<>();
        List<PathDevice> devices = new ArrayList<>();
        for (Naming naming : namings) {
            FileRules rules = naming.rules();
            if (takers.stream().noneMatch(rules::equals) && takers.stream().allMatch(rules::sharesWith)) {
                takers.add(rules);
                List<Member> members = naming.group()
                        .map(group -> group.members(path))
                        .orElseGet(() -> List.of(new Member(path, isDirectory, false)));
                device(members, naming.group().orElse(null)).map(rules::own).ifPresent(devices::add);
            }
        }
        return devices;
    }

    private List<String> glob(PathGlob pattern, int most, Map<PathGlob, String> problems, List<String> excess) {
        try {
            return pattern.files(sysfs, most);
        } catch (TooManyFilesException e) {
            String tooMany = pattern + ": with the files that it names, there are more than the " + MAX_FILES
                    + " that all classes of a node may have; none of its files is listed";
            problems.put(pattern, tooMany);
            excess.add(tooMany);
        } catch (IOException | FarPathException e) {
            problems.put(pattern, pattern + ": " + e.getMessage());
        }
        return List.of();
    }

    /** A file with the other files of its group, without which it is useless. A file that has just gone is absent. */
    private Optional<PathDevice> device(List<Member> members, @Nullable PathGroup group) {
        String path = members.getFirst().path();
        List<PathDevice.File> files = new ArrayList<>();
        Optional<String> problem = Optional.empty();
        for (Member member : members) {
            Optional<Destination> where = Optional.empty();
            Optional<String> own;
            boolean isRefused = false;
            try {
                where = sysfs.follow(member.path().substring(1));
                own = problem(member, where.map(Destination::kind).orElse(null));
            } catch (IOException e) {
                own = Optional.of(String.valueOf(e.getMessage()));
            } catch (FarPathException e) {
                own = Optional.of(String.valueOf(e.getMessage()));
                isRefused = true;
            }
            if (files.isEmpty() && where.isEmpty() && !isRefused && !isThere(path)) {
                return Optional.empty();
            }
            files.add(new PathDevice.File(
                    member.path(), where, where.map(this::origin).orElse("")));
            problem = problem.isPresent() ? problem : own;
        }
        Health health = problem.map(Health::unhealthy).orElse(Health.HEALTHY);
        return Optional.of(new PathDevice(PathDevice.id(path), files, Optional.ofNullable(group), health));
    }

    /** A device of which the kernel says nothing can still be handed over, but not to a pod that was given a known one. */
    private String origin(Destination node) {
        try {
            return origins.of(node);
        } catch (IOException e) {
            return IdentifiedNode.unknown(String.valueOf(e.getMessage()));
        }
    }

    /** A path that cannot be looked at counts as existing, and is unhealthy. */
    private boolean isThere(String path) {
        try {
            return sysfs.exists(path.substring(1));
        } catch (IOException e) {
            return true;
        }
    }

    /** A directory is rarely meant: container runtimes make one in place of a missing file. */
    private Optional<String> problem(Member member, @Nullable FileKind kind) throws IOException {
        String path = member.path();
        if (kind == null) {
            boolean mayBeAbsent = member.isOptional() && !sysfs.exists(path.substring(1));
            return mayBeAbsent ? Optional.empty() : Optional.of(absence(path));
        }
        if (member.isDirectory()) {
            return kind == FileKind.DIRECTORY
                    ? Optional.empty()
                    : Optional.of(path + " is " + kind + ", and a path that ends with / names directories");
        }
        if (kind == FileKind.DIRECTORY) {
            return Optional.of(path + " is a directory, and only a path that ends with / names directories");
        }
        return kind == FileKind.FILE || kind.isNode()
                ? Optional.empty()
                : Optional.of(path + " is " + kind + ", and not a regular file or a device node");
    }

    /** It was not there a moment ago, so it may be there by now. */
    private String absence(String path) throws IOException {
        if (sysfs.linkTarget(path.substring(1)).isPresent()) {
            return path + " is a link that leads nowhere";
        }
        return sysfs.exists(path.substring(1))
                ? path + " has changed while edgeplug looked at it"
                : "lacks " + path + " of its group";
    }
}
