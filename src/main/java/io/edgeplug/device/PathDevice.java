package io.edgeplug.device;

import io.edgeplug.linux.Destination;
import io.edgeplug.linux.FileKind;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One or several files of a class of kind {@code path}. Its ID is made of the file name of the first.
 *
 * @param files at least one
 * @param group the group that names several files together; empty for a single file
 */
public record PathDevice(String id, List<File> files, Optional<PathGroup> group, Health health) implements Device {

    /**
     * The kubelet would accept any length. But a container has all its IDs in one variable of at most 128 KiB, which
     * holds a thousand of these. With the number of a share added, an ID also stays within the 128 bytes that are read
     * of each ID in the kubelet's notes.
     */
    static final int MAX_ID = 120;

    public PathDevice {
        files = List.copyOf(files);
    }

    /** The ID for that first path: the name of the file, shortened with a hash at its end if it is too long. */
    public static String id(String path) {
        return ShortName.of(path.substring(path.lastIndexOf('/') + 1), MAX_ID);
    }

    /**
     * A file.
     *
     * @param path absolute, as the configuration names it and the node sees it
     * @param found where the path leads; empty if the file is missing
     */
    public record File(String path, Optional<Destination> found) {

        /** Empty if the file is missing. */
        public Optional<FileKind> kind() {
            return found.map(Destination::kind);
        }

        /** The resolved path for the container runtime, which nobody can redirect. */
        public String hostPath() {
            return found.map(Destination::path).orElse(path);
        }

        /** Whether the container gets it as a device and not as a mount. */
        public boolean isNode() {
            return kind().filter(FileKind::isNode).isPresent();
        }

        /** The reason why a file that has changed its kind cannot be given; empty if the kind is the same. */
        public Optional<String> change(FileKind was, FileKind now) {
            return was == now ? Optional.empty() : Optional.of(path + " is " + now + " now and was " + was);
        }
    }

    /** The path of the first file. */
    public String path() {
        return files.getFirst().path();
    }

    @Override
    public Kind kind() {
        return Kind.PATH;
    }

    @Override
    public OptionalInt numaNode() {
        return OptionalInt.empty();
    }

    @Override
    public List<RdmaDevice> rdmaDevices() {
        return List.of();
    }

    @Override
    public PathDevice withHealth(Health other) {
        return new PathDevice(id, files, group, other);
    }
}
