package io.edgeplug.device;

import io.edgeplug.linux.Destination;
import io.edgeplug.linux.FileKind;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A file that a class of kind {@code path} names, or several that it names as a group; its ID is made of the first one's
 * file name.
 *
 * @param files at least one
 * @param group what names them together; empty for a single file
 */
public record PathDevice(String id, List<File> files, Optional<PathGroup> group, Health health) implements Device {

    /**
     * The kubelet would take any length. But a container has its IDs in one variable, of 128 KiB at most, in which a
     * thousand of these fit; and with the number of a share, the kubelet's notes are read up to 128 bytes.
     */
    static final int MAX_ID = 120;

    public PathDevice {
        files = List.copyOf(files);
    }

    /** The ID of the device whose first file has that path: the file's name, with a hash for its end if it is too long. */
    public static String id(String path) {
        return ShortName.of(path.substring(path.lastIndexOf('/') + 1), MAX_ID);
    }

    /**
     * A file.
     *
     * @param path absolute, as the node sees it and as it was named
     * @param found where that led; empty if it is not there
     */
    public record File(String path, Optional<Destination> found) {

        /** Empty if it is not there. */
        public Optional<FileKind> kind() {
            return found.map(Destination::kind);
        }

        /** The path of the file itself, which nobody can lead elsewhere, for a container runtime to open. */
        public String hostPath() {
            return found.map(Destination::path).orElse(path);
        }

        /** Whether it is given as a device, and not as a mount. */
        public boolean isNode() {
            return kind().filter(FileKind::isNode).isPresent();
        }

        /** Why a file that was of one kind and is of another now cannot be given; empty if they are the same. */
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
