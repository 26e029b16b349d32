package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.system.files.FileKind;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The kind that each file had when it was first healthy. It is kept while the file is gone. Meanwhile a container
 * runtime may put an empty directory in its place, or a command may write a file where a node was unplugged. One thread
 * at a time.
 */
final class FirstKinds {

    /** How many files are remembered; then the file that was not seen for longest is forgotten. */
    private static final int MAX = 1 << 14;

    private final Map<String, FileKind> kinds = new LinkedHashMap<>(16, 0.75f, true) {

        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, FileKind> eldest) {
            return size() > MAX;
        }
    };

    /** The device, unhealthy if one of its files has another kind than at first. */
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
