package io.edgeplug.inventory;

import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.DeviceScan;
import io.edgeplug.device.Health;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PathGroup;
import io.edgeplug.linux.PathGlob;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.logging.Logger;

/** The files that classes name, as the scans so far have found them; one thread at a time. */
final class PathDevices {

    private static final Logger LOG = Logger.getLogger(PathDevices.class.getName());

    private final ScanThread thread;
    private final FirstKinds firstKinds = new FirstKinds();
    private List<DeviceClass> classes;
    private List<PathDevice> found = List.of();
    private List<String> problems = List.of();

    PathDevices(ScanThread thread, List<DeviceClass> classes) {
        this.thread = thread;
        this.classes = List.copyOf(classes);
    }

    /** Looks for the files of these classes from now on. */
    void use(List<DeviceClass> newClasses) {
        classes = List.copyOf(newClasses);
    }

    /** By path. */
    List<PathDevice> devices() {
        return found;
    }

    /** Files in a directory that cannot be listed now are still listed, as unhealthy. */
    void scan(DeviceScan scan) {
        DeviceScan.PathScan now = look(scan);
        Map<String, PathDevice> byPath = new TreeMap<>();
        if (!now.problems().isEmpty()) {
            Health unknown = Health.unhealthy(String.join("; ", now.problems()));
            found.forEach(device -> byPath.put(device.path(), device.withHealth(unknown)));
        }
        now.devices().forEach(device -> byPath.put(device.path(), firstKinds.judged(device)));
        found = List.copyOf(byPath.values());
        if (!now.problems().equals(problems)) {
            now.problems().forEach(LOG::warning);
            problems = now.problems();
        }
    }

    /** A file may be on another machine, which does not answer. */
    private DeviceScan.PathScan look(DeviceScan scan) {
        List<PathGlob> globs = classes.stream().flatMap(DeviceClass::paths).toList();
        List<PathGroup> groups = classes.stream()
                .flatMap(one -> one.groups().stream())
                .distinct()
                .toList();
        try {
            return thread.look("files", () -> scan.paths(globs, groups));
        } catch (IOException e) {
            return new DeviceScan.PathScan(List.of(), List.of("files: " + e.getMessage()), List.of());
        }
    }
}
