package io.edgeplug.inventory;

import io.edgeplug.device.Health;
import io.edgeplug.device.PathDevice;
import io.edgeplug.linux.FileKind;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What kind each file was when it was first found fit, which it stays while it is gone: a container runtime, or a command
 * that writes to a node that was unplugged, puts something else in its place. One thread at a time.
 */
final class FirstKinds {

    /** The kinds of so many files are kept; then those that were not seen for longest are forgotten. */
    private static final int MAX = 1 << 14;

    private final Map<String, FileKind> kinds = new LinkedHashMap<>(16, 0.75f, true) {

        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, FileKind> eldest) {
            return size() > MAX;
        }
    };

    /** The device, unhealthy if one of its files is of another kind than it was. */
    PathDevice judged(PathDevice device) {
        for (PathDevice.File file : device.files()) {
            Optional<String> change = change(file);
            if (change.isPresent()) {
                return device.withHealth(Health.unhealthy(change.orElseThrow()));
            }
        }
        if (device.health().isHealthy()) {
            device.files().forEach(file -> file.kind().ifPresent(kind -> kinds.put(file.path(), kind)));
        }
        return device;
    }

    private Optional<String> change(PathDevice.File file) {
        FileKind was = kinds.get(file.path());
        return was == null ? Optional.empty() : file.kind().flatMap(now -> file.change(was, now));
    }
}
