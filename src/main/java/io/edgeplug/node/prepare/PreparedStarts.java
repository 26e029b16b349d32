package io.edgeplug.node.prepare;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.files.Notes;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * When each device was last prepared for the start of a container, noted for the next daemon. All times come from
 * files, because they are compared with the times of the kubelet's files.
 */
public final class PreparedStarts {

    private static final String DIRECTORY = "run/edgeplug/prepared";

    private final Notes devices;
    private final Notes resources;

    /** The starts on that node. */
    public PreparedStarts(Sysfs sysfs) {
        this.devices = new Notes(sysfs, DIRECTORY, ".device");
        this.resources = new Notes(sysfs, DIRECTORY, ".since");
    }

    /**
     * Notes that a container with this prepared device is about to start.
     *
     * @throws PrepareException if that cannot be noted; then the container must not start
     */
    public void note(Device device) throws PrepareException {
        try {
            devices.write(device.id(), new Properties());
        } catch (IOException e) {
            throw new PrepareException(device.id(), "cannot note that it is prepared: " + e.getMessage(), e);
        }
    }

    /** When a container last started for which this device was prepared. */
    public Optional<FileTime> last(Device device) throws IOException {
        return devices.time(device.id());
    }

    /** Since when starts of containers with this resource are noted for that kubelet's pods; empty if they are not. */
    public Optional<FileTime> since(Path kubeletDir, ResourceName resource) throws IOException {
        return resources.time(name(kubeletDir, resource));
    }

    /**
     * Sets the resources whose starts are noted from now on, for pods of the kubelet with that directory. Resources
     * that were already noted keep their time.
     */
    public void follow(Path kubeletDir, Set<ResourceName> wanted) throws IOException {
        Set<String> names =
                wanted.stream().map(resource -> name(kubeletDir, resource)).collect(Collectors.toSet());
        for (String name : resources.names()) {
            if (name.endsWith(suffix(kubeletDir)) && !names.contains(name)) {
                resources.delete(name);
            }
        }
        for (String name : names) {
            if (resources.time(name).isEmpty()) {
                resources.write(name, new Properties());
            }
        }
    }

    private static String name(Path kubeletDir, ResourceName resource) {
        return resource.toString().replace('/', '_') + suffix(kubeletDir);
    }

    /** A daemon that is tried out beside the node's daemon, for another kubelet, must not touch its notes. */
    private static String suffix(Path kubeletDir) {
        String directory = kubeletDir.toAbsolutePath().normalize().toString();
        return "." + Integer.toHexString(directory.hashCode());
    }
}
