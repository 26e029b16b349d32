package io.edgeplug.container;

import java.nio.file.Path;

/**
 * Where those who make containers look for files.
 *
 * @param cdi the container runtime, for CDI specifications
 * @param deviceInfo Multus, for device information
 */
public record ContainerDirectories(Path cdi, Path deviceInfo) {

    /** Where they look by default. */
    public static final ContainerDirectories DEFAULTS =
            new ContainerDirectories(Path.of("/var/run/cdi"), Path.of("/var/run/k8s.cni.cncf.io/devinfo/dp"));

    /** Below a directory where nobody looks, for trying things out. */
    public static ContainerDirectories below(Path directory) {
        return new ContainerDirectories(directory.resolve("cdi"), directory.resolve("devinfo"));
    }
}
