package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PathGroup;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.FileRules;
import io.edgeplug.node.scan.FileScan;
import io.edgeplug.system.files.FarPathException;
import io.edgeplug.system.files.FileWatch;
import io.edgeplug.system.files.PathGlob;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.files.Trail;
import io.edgeplug.system.systemd.LogLimit;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The files of classes that the scans so far have found; one thread at a time.
 *
 * <p>The unit is the scan of one file. A full scan does the same for each file that a pattern names.
 */
final class PathDevices {

    private static final Logger LOG = Logger.getLogger(PathDevices.class.getName());

    /** Names the files as a place whose scan may not return. Each file system that may not answer is one by itself. */
    private static final String PLACE = "files";

    private final ScanThread thread;
    private final @Nullable FileWatch watch;
    private final ScanGate gate;
    /** A user who can write to a directory can make a problem come and go. */
    private final LogLimit told = new LogLimit(20, Duration.ofMinutes(1));

    private final FirstKinds firstKinds = new FirstKinds();
    private List<FileRules> rules = List.of();

    /** By path, which several resources may share. */
    private NavigableMap<String, PathDevice> found = new TreeMap<>();

    /** Of the patterns that could not be followed. */
    private Map<PathGlob, String> problems = Map.of();

    /** Devices in preparation stay as they were. */
    PathDevices(ScanThread thread, @Nullable FileWatch watch, List<DeviceClass> classes, ScanGate gate) {
        this.thread = thread;
        this.watch = watch;
        this.gate = gate;
        use(classes);
    }

    /** Looks for the files of these classes from now on. */
    void use(List<DeviceClass> classes) {
        rules = classes.stream().map(DeviceClass::files).toList();
    }

    /** By path. */
    Collection<PathDevice> devices() {
        return Collections.unmodifiableCollection(found.values());
    }

    /** Scans all files. Files of a pattern that cannot be followed now stay listed, as unhealthy. */
    void scan() {
        FileScan.Found now = readAll();
        NavigableMap<String, PathDevice> byPath = new TreeMap<>();
        found.values().stream()
                .limit(FileScan.MAX_FILES)
                .forEach(device -> now.problems().entrySet().stream()
                        .filter(problem -> problem.getKey().matches(device.path()))
                        .findFirst()
                        .ifPresent(problem ->
                                byPath.put(key(device), device.withHealth(Health.unhealthy(problem.getValue())))));
        // asked once, since a preparation may end meanwhile
        List<PathDevice> kept = found.values().stream().filter(gate::isClosed).toList();
        now.devices().forEach(device -> put(byPath, device));
        kept.forEach(device -> byPath.put(key(device), device));
        found = byPath;
        if (!now.problems().equals(problems)) {
            now.problems().values().stream()
                    .distinct()
                    .forEach(problem -> told.line(problem).ifPresent(LOG::warning));
            problems = now.problems();
        }
    }

    /** Begins a round of looks; null if nobody watches. */
    private @Nullable Trail trail() {
        return watch == null ? null : watch.trail();
    }

    private FileScan.Found readAll() {
        Trail trail = trail();
        FileScan scan = new FileScan(thread.sysfs().on(trail));
        try {
            FileScan.Found now = thread.look(PLACE, () -> scan.paths(rules));
            // The trail is set only after the scan has returned, because a scan that hangs still adds to it.
            if (watch != null && trail != null && (now.problems().isEmpty() || watch.isCrowded())) {
                watch.keep(trail);
            }
            return now;
        } catch (IOException e) {
            Map<PathGlob, String> all = new HashMap<>();
            globs().forEach(glob -> all.put(glob, PLACE + ": " + e.getMessage()));
            return new FileScan.Found(List.of(), all, List.of());
        }
    }

    /**
     * Scans the files to which these paths lead, and the files below them. Scans all files if that is not enough.
     *
     * @return the devices that exist, unless it has scanned all files
     */
    List<PathDevice> look(Set<String> changed) {
        if (changed.contains(FileWatch.EVERYTHING) || !problems.isEmpty() || (watch != null && watch.isCrowded())) {
            scan();
            return List.of();
        }
        Sysfs sysfs = thread.sysfs().on(trail());
        FileScan scan = new FileScan(sysfs);
        Map<String, List<PathDevice>> now = new TreeMap<>();
        try {
            boolean ignored = thread.look(PLACE, () -> {
                for (String path : concerned(changed, sysfs)) {
                    now.put(path, scan.path(path, rules));
                }
                return true;
            });
        } catch (IOException | FarPathException e) {
            scan();
            return List.of();
        }
        now.forEach(this::replace);
        if (found.values().stream().mapToInt(device -> device.files().size()).sum() > FileScan.MAX_FILES) {
            scan();
            return List.of();
        }
        return now.keySet().stream().flatMap(path -> at(path).values().stream()).toList();
    }

    /** The known and possible devices with a file at one of these paths or below. */
    private Set<String> concerned(Set<String> changed, Sysfs sysfs) throws IOException {
        Set<String> concerned = new TreeSet<>();
        Set<PathGlob> listed = new HashSet<>();
        for (String path : changed) {
            // In ASCII, 0 comes after the slash.
            found.subMap(path + "/", path + "0").values().forEach(device -> concerned.add(device.path()));
            if (!at(path).isEmpty()) {
                concerned.add(path);
            }
            globs().forEach(glob -> {
                if (glob.matches(path)) {
                    concerned.add(path);
                } else if (glob.leadsThrough(path)) {
                    listed.add(glob);
                }
            });
        }
        for (PathGlob glob : listed) {
            concerned.addAll(glob.files(sysfs, FileScan.MAX_FILES));
        }
        if (rules.stream().anyMatch(one -> !one.groups().isEmpty())) {
            found.values().stream()
                    .filter(device ->
                            device.files().stream().anyMatch(file -> FileWatch.concerns(changed, file.path())))
                    .forEach(device -> concerned.add(device.path()));
        }
        return concerned;
    }

    private Stream<PathGlob> globs() {
        return rules.stream()
                .flatMap(one -> Stream.concat(one.groups().stream().map(PathGroup::first), one.patterns().stream()))
                .distinct();
    }

    /** No path has a NUL. */
    private static String key(PathDevice device) {
        return device.path() + device.owner().map(owner -> "\0" + owner).orElse("");
    }

    /** The devices whose first file is at that path. */
    private NavigableMap<String, PathDevice> at(String path) {
        return found.subMap(path, true, path + "\1", false);
    }

    private void replace(String path, List<PathDevice> devices) {
        Set<PathDevice> kept = at(path).values().stream().filter(gate::isClosed).collect(Collectors.toSet());
        Set<String> keys = devices.stream().map(PathDevices::key).collect(Collectors.toSet());
        at(path).entrySet().removeIf(one -> !keys.contains(one.getKey()) && !kept.contains(one.getValue()));
        devices.stream()
                .filter(device -> kept.stream().noneMatch(one -> key(one).equals(key(device))))
                .forEach(device -> put(found, device));
    }

    /** An unchanged device stays the same object, so that no later step works on it again. */
    private void put(NavigableMap<String, PathDevice> devices, PathDevice device) {
        PathDevice before = found.get(key(device));
        PathDevice now = firstKinds.judged(device);
        devices.put(key(device), now.equals(before) ? before : now);
    }
}
