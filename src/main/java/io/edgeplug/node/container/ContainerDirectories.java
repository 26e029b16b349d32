package io.edgeplug.node.container;

import java.nio.file.Path;

/**
 * The directories in which container software looks for files.
 *
 * @param cdi of the container runtime, for CDI specifications
 * @param deviceInfo of Multus, for device information
 */
public record ContainerDirectories(Path cdi, Path deviceInfo) {

    /** Private directories for trying things out, in which nobody looks. */
    public static ContainerDirectories below(Path directory) {
        return new ContainerDirectories(directory.resolve("cdi"), directory.resolve("devinfo"));
    }
}
