package io.edgeplug.config;

import io.edgeplug.rules.Api;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.rules.WantedVfs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;

/**
 * What the configuration files say.
 *
 * @param kubeletRoot the kubelet's root directory; empty where it is the one above that in which edgeplug registers
 * @param registration how the kubelet learns of resources
 * @param kubeletDir where the kubelet has its {@code kubelet.sock} for device plugins
 * @param pluginsRegistryDir where the kubelet's plugin watcher looks for sockets
 * @param cdiDir where the container runtime looks for CDI specifications
 * @param deviceInfoDir where Multus looks for device information
 * @param logLevel what is worth a line in the log
 * @param settle how long a device must have been left alone before good news of it is told
 * @param reports what is told to others than the kubelet
 * @param dra how devices of classes with {@code api = "dra"} are offered to the cluster
 * @param classes in the order in which they claim devices
 * @param vfs of which PFs VFs are made
 */
public record Config(
        Optional<Path> kubeletRoot,
        Registration registration,
        Path kubeletDir,
        Path pluginsRegistryDir,
        Path cdiDir,
        Path deviceInfoDir,
        Level logLevel,
        Duration settle,
        Reports reports,
        DraSettings dra,
        List<DeviceClass> classes,
        List<WantedVfs> vfs) {

    /** What holds where nothing is said. */
    public static final Config DEFAULTS = new Config(
            Optional.empty(),
            Registration.DEVICE_PLUGINS,
            Path.of("/var/lib/kubelet/device-plugins"),
            Path.of("/var/lib/kubelet/plugins_registry"),
            Path.of("/var/run/cdi"),
            Path.of("/var/run/k8s.cni.cncf.io/devinfo/dp"),
            Level.INFO,
            Duration.ofMillis(150),
            Reports.NONE,
            DraSettings.DEFAULTS,
            List.of(),
            List.of());

    /** How the kubelet learns of resources. */
    public enum Registration {
        /** It is called, on {@code kubelet.sock}. */
        DEVICE_PLUGINS,
        /** It finds their sockets. */
        PLUGINS_REGISTRY
    }

    public Config {
        classes = List.copyOf(classes);
        vfs = List.copyOf(vfs);
    }

    /** Whether the other has Kubernetes learn of resources in the same way and place, and files in the same places. */
    public boolean isServedAs(Config other) {
        return registration == other.registration
                && kubeletRoot.equals(other.kubeletRoot)
                && kubeletDir.equals(other.kubeletDir)
                && pluginsRegistryDir.equals(other.pluginsRegistryDir)
                && cdiDir.equals(other.cdiDir)
                && deviceInfoDir.equals(other.deviceInfoDir)
                && claimed().equals(other.claimed())
                && (claimed().isEmpty() || dra.equals(other.dra));
    }

    /** The classes whose devices are claimed by Dynamic Resource Allocation, and not registered with the kubelet. */
    public List<DeviceClass> claimed() {
        return classes.stream().filter(one -> one.api() == Api.DRA).toList();
    }
}
