package io.edgeplug.device;

import java.util.List;
import java.util.OptionalInt;

/**
 * A file that a class of kind {@code path} names.
 *
 * @param id its file name
 * @param path absolute, as the node sees it
 * @param isNode whether it is a character or block device, and so given as a device and not as a mount
 */
public record PathDevice(String id, String path, boolean isNode, Health health) implements Device {

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
        return new PathDevice(id, path, isNode, other);
    }
}
