package io.edgeplug.device;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A file that a class of kind {@code path} names, or several that it names as a group; its ID is the first one's file
 * name.
 *
 * @param files at least one
 * @param group what names them together; empty for a single file
 */
public record PathDevice(String id, List<File> files, Optional<PathGroup> group, Health health) implements Device {

    public PathDevice {
        files = List.copyOf(files);
    }

    /**
     * A file.
     *
     * @param path absolute, as the node sees it
     * @param isNode whether it is a character or block device, and so given as a device and not as a mount
     */
    public record File(String path, boolean isNode) {}

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
