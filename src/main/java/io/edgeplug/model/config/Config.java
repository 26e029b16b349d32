package io.edgeplug.model.config;

import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.WantedVfs;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;

/**
 * The content of the configuration files.
 *
 * @param kubeletRoot the kubelet's root directory; empty for the one above the directory in which edgeplug registers
 * @param registration how the kubelet learns of resources
 * @param kubeletDir the kubelet's directory for device plugins, with its {@code kubelet.sock}
 * @param pluginsRegistryDir where the kubelet's plugin watcher looks for sockets
 * @param cdiDir where the container runtime looks for CDI specifications
 * @param deviceInfoDir where Multus looks for device information
 * @param logLevel the least level that is logged
 * @param settle how long a device must have been left alone before good news of it is published
 * @param reports metrics and labels
 * @param dra how devices of classes with {@code api = "dra"} are offered to the cluster
 * @param classes in the order in which they take devices
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
        Dra dra,
        List<DeviceClass> classes,
        List<WantedVfs> vfs) {

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
            Dra.DEFAULTS,
            List.of(),
            List.of());

    public enum Registration {
        /** edgeplug registers them on {@code kubelet.sock}. */
        DEVICE_PLUGINS,
        /** The kubelet finds their sockets. */
        PLUGINS_REGISTRY
    }

    public Config {
        classes = List.copyOf(classes);
        vfs = List.copyOf(vfs);
    }

    /** The directory in which the kubelet learns of resources. */
    public Path registeredIn() {
        return switch (registration) {
            case DEVICE_PLUGINS -> kubeletDir;
            case PLUGINS_REGISTRY -> pluginsRegistryDir;
        };
    }

    /**
     * The root directory of the kubelet that learns of resources in a directory. It contains both directories for that,
     * unless they were moved.
     */
    public Path kubeletRoot(Path registeredIn) {
        return kubeletRoot.orElse(registeredIn.toAbsolutePath().resolveSibling(""));
    }

    /** Whether Kubernetes learns of resources in the same way and place with both, and files are in the same places. */
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

    /**
     * The classes whose devices are claimed by Dynamic Resource Allocation. They are not registered with the kubelet.
     */
    public List<DeviceClass> claimed() {
        return classes.stream().filter(DeviceClass::isClaimed).toList();
    }

    /**
     * Reports of the daemon other than to the kubelet; there are none by default.
     *
     * @param metricsListen where metrics are served over HTTP
     * @param metricsTextfile the file that metrics are written to
     * @param nfdLabels whether the node gets labels through node-feature-discovery
     */
    public record Reports(
            Optional<InetSocketAddress> metricsListen, Optional<Path> metricsTextfile, boolean nfdLabels) {

        public static final Reports NONE = new Reports(Optional.empty(), Optional.empty(), false);

        public boolean hasMetrics() {
            return metricsListen.isPresent() || metricsTextfile.isPresent();
        }
    }

    /**
     * How devices of classes with {@code api = "dra"} are offered to the cluster.
     *
     * @param driver the name of the driver, by which claims choose it
     * @param nodeName the node's name; empty for that in the identity
     * @param kubeconfig the file with the API server and the identity to use there; empty for the kubelet's
     */
    public record Dra(String driver, Optional<String> nodeName, Optional<Path> kubeconfig) {

        public static final Dra DEFAULTS = new Dra("edgeplug.io", Optional.empty(), Optional.empty());
    }
}
