package io.edgeplug.inventory;

import io.edgeplug.device.Health;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PathGroup;
import io.edgeplug.linux.FileWatch;
import io.edgeplug.linux.LogLimit;
import io.edgeplug.linux.PathGlob;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.linux.Trail;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.scan.DeviceScan;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * The files of classes that the scans so far have found; one thread at a time.
 *
 * <p>The unit is the scan of one file. A full scan does the same for each file that a pattern names.
 */
final class PathDevices {

    private static final Logger LOG = Logger.getLogger(PathDevices.class.getName());

    /** Names the files as a place whose scan may not return. */
    private static final String PLACE = "files";

    private final ScanThread thread;
    private final Optional<FileWatch> watch;
    private final DevicesInPreparation inPreparation;
    /** A user who can write to a directory can make a problem come and go. */
    private final LogLimit told = new LogLimit(20, Duration.ofMinutes(1));

    private final FirstKinds firstKinds = new FirstKinds();
    private List<PathGlob> patterns = List.of();
    private List<PathGroup> groups = List.of();

    /** By path. */
    private NavigableMap<String, PathDevice> found = new TreeMap<>();

    private List<String> problems = List.of();

    /** Devices in preparation stay as they were. */
    PathDevices(
            ScanThread thread,
            Optional<FileWatch> watch,
            List<DeviceClass> classes,
            DevicesInPreparation inPreparation) {
        this.thread = thread;
        this.watch = watch;
        this.inPreparation = inPreparation;
        use(classes);
    }

    /** Looks for the files of these classes from now on. */
    void use(List<DeviceClass> classes) {
        patterns = classes.stream().flatMap(DeviceClass::paths).distinct().toList();
        groups = classes.stream()
                .flatMap(one -> one.groups().stream())
                .distinct()
                .toList();
    }

    /** By path. */
    Collection<PathDevice> devices() {
        return Collections.unmodifiableCollection(found.values());
    }

    /** Scans all files. Files in a directory that cannot be listed now stay listed, as unhealthy. */
    void scan() {
        Optional<Trail> trail = watch.map(FileWatch::trail);
        DeviceScan.PathScan now = scan(trail);
        NavigableMap<String, PathDevice> byPath = new TreeMap<>();
        if (!now.problems().isEmpty()) {
            Health unknown = Health.unhealthy(String.join("; ", now.problems()));
            found.values().stream()
                    .limit(DeviceScan.PathScan.MAX_FILES)
                    .forEach(device -> byPath.put(device.path(), device.withHealth(unknown)));
        }
        // asked once, since a preparation may end meanwhile
        List<PathDevice> kept =
                found.values().stream().filter(inPreparation::contains).toList();
        now.devices().forEach(device -> put(byPath, device.path(), Optional.of(device)));
        kept.forEach(device -> byPath.put(device.path(), device));
        found = byPath;
        if (!now.problems().equals(problems)) {
            now.problems().forEach(problem -> told.line(problem).ifPresent(LOG::warning));
            problems = now.problems();
        }
    }

    /** A file may be on another machine, which does not answer. */
    private DeviceScan.PathScan scan(Optional<Trail> trail) {
        DeviceScan scan = new DeviceScan(thread.sysfs().on(trail));
        try {
            DeviceScan.PathScan now = thread.look(PLACE, () -> scan.paths(patterns, groups));
            // The trail is set only after the scan has returned, because a scan that hangs still adds to it.
            watch.filter(one -> now.problems().isEmpty() || one.isCrowded())
                    .ifPresent(one -> one.keep(trail.orElseThrow()));
            return now;
        } catch (IOException e) {
            return new DeviceScan.PathScan(List.of(), List.of(PLACE + ": " + e.getMessage()), List.of());
        }
    }

    /**
     * Scans the files to which these paths lead, and the files below them. Scans all files if that is not enough.
     *
     * @return the devices that exist, unless it has scanned all files
     */
    List<PathDevice> look(Set<String> changed) {
        if (changed.contains(FileWatch.EVERYTHING)
                || !problems.isEmpty()
                || watch.stream().anyMatch(FileWatch::isCrowded)) {
            scan();
            return List.of();
        }
        Sysfs sysfs = thread.sysfs().on(watch.map(FileWatch::trail));
        DeviceScan scan = new DeviceScan(sysfs);
        Map<String, Optional<PathDevice>> now = new TreeMap<>();
        try {
            boolean ignored = thread.look(PLACE, () -> {
                for (String path : concerned(changed, sysfs)) {
                    now.put(path, scan.path(path, patterns, groups));
                }
                return true;
            });
        } catch (IOException e) {
            scan();
            return List.of();
        }
        now.forEach((path, device) -> {
            if (!isInPreparation(path)) {
                put(found, path, device);
            }
        });
        if (found.values().stream().mapToInt(device -> device.files().size()).sum() > DeviceScan.PathScan.MAX_FILES) {
            scan();
            return List.of();
        }
        return now.keySet().stream()
                .flatMap(path -> Stream.ofNullable(found.get(path)))
                .toList();
    }

    /** The known and possible devices with a file at one of these paths or below. */
    private Set<String> concerned(Set<String> changed, Sysfs sysfs) throws IOException {
        Set<String> concerned = new TreeSet<>();
        Set<PathGlob> listed = new HashSet<>();
        for (String path : changed) {
            // In ASCII, 0 comes after the slash.
            concerned.addAll(found.subMap(path + "/", path + "0").keySet());
            if (found.containsKey(path)) {
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
            concerned.addAll(glob.files(sysfs, DeviceScan.PathScan.MAX_FILES));
        }
        if (!groups.isEmpty()) {
            found.values().stream()
                    .filter(device ->
                            device.files().stream().anyMatch(file -> FileWatch.concerns(changed, file.path())))
                    .forEach(device -> concerned.add(device.path()));
        }
        return concerned;
    }

    private Stream<PathGlob> globs() {
        return Stream.concat(groups.stream().map(PathGroup::first), patterns.stream());
    }

    private boolean isInPreparation(String path) {
        return Optional.ofNullable(found.get(path))
                .filter(inPreparation::contains)
                .isPresent();
    }

    /** An unchanged device stays the same object, so that no later step works on it again. */
    private void put(NavigableMap<String, PathDevice> devices, String path, Optional<PathDevice> device) {
        PathDevice before = found.get(path);
        Optional<PathDevice> now = device.map(firstKinds::judged);
        if (now.isEmpty()) {
            devices.remove(path);
        } else {
            devices.put(path, now.equals(Optional.ofNullable(before)) ? before : now.orElseThrow());
        }
    }
}
