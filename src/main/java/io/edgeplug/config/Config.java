package io.edgeplug.config;

import io.edgeplug.device.DeviceClass;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Level;

/**
 * What the configuration files say.
 *
 * @param kubeletDir where the kubelet has its {@code kubelet.sock} for device plugins
 * @param logLevel what is worth a line in the log
 * @param classes in the order in which they claim devices
 */
public record Config(Path kubeletDir, Level logLevel, List<DeviceClass> classes) {

    /** What holds where nothing is said. */
    public static final Config DEFAULTS = new Config(Path.of("/var/lib/kubelet/device-plugins"), Level.INFO, List.of());

    public Config {
        classes = List.copyOf(classes);
    }
}
