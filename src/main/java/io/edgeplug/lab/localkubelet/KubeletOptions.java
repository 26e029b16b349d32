package io.edgeplug.lab.localkubelet;

import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * The kubelet that a {@link LocalKubelet} plays.
 *
 * @param minorVersion of Kubernetes 1; it decides how plugins of one resource are distinguished, see {@link Clients}
 * @param clock decides when the grace after the end of a plugin's stream is over; nothing waits by it
 * @param socketPause how long a starting kubelet takes between clearing its directory and making {@code kubelet.sock}
 * @param apis that it speaks on {@code kubelet.sock}
 * @param pluginsRegistry where it looks for plugins that do not register, if it does
 * @param root its root directory, for pod-resources and from 1.37 on the Pods API, if it serves them
 */
public record KubeletOptions(
        int minorVersion,
        InstantSource clock,
        Duration socketPause,
        Set<DevicePluginApi> apis,
        Optional<Path> pluginsRegistry,
        Optional<Path> root) {

    /** Kubernetes 1.37 with its defaults: v1beta1, no plugins_registry, no root. */
    public static final KubeletOptions DEFAULTS = new KubeletOptions(
            37,
            InstantSource.system(),
            Duration.ZERO,
            Set.of(DevicePluginApi.V1BETA1),
            Optional.empty(),
            Optional.empty());

    public KubeletOptions {
        apis = Collections.unmodifiableSet(EnumSet.copyOf(apis));
    }

    /** Whether a plugin is identified by resource and socket, from 1.37 on; before, by the resource alone. */
    boolean knowsPluginsBySocket() {
        return minorVersion >= 37;
    }

    /** Whether a plugin is dialled back only while its Register waits, from 1.35 on. */
    boolean dialsWithinRegister() {
        return minorVersion >= 35;
    }

    /** Whether a pod's status has the health of its devices: the gate ResourceHealthStatus is on from 1.36. */
    boolean reportsHealth() {
        return minorVersion >= 36;
    }

    /** Whether the holder of a device is looked up by ID and resource, from 1.37 on; before, by the ID alone. */
    boolean findsHoldersByResource() {
        return minorVersion >= 37;
    }

    /** Whether pod-resources lists pods whose containers have ended, up to 1.33. */
    boolean listsEndedPods() {
        return minorVersion < 34;
    }

    /** Whether the Pods API is served, which is the default from 1.37 on. */
    boolean hasPodsApi() {
        return minorVersion >= 37;
    }

    public KubeletOptions withMinorVersion(int other) {
        return new KubeletOptions(other, clock, socketPause, apis, pluginsRegistry, root);
    }

    public KubeletOptions withClock(InstantSource other) {
        return new KubeletOptions(minorVersion, other, socketPause, apis, pluginsRegistry, root);
    }

    public KubeletOptions withSocketPause(Duration other) {
        return new KubeletOptions(minorVersion, clock, other, apis, pluginsRegistry, root);
    }

    public KubeletOptions withApis(Set<DevicePluginApi> other) {
        return new KubeletOptions(minorVersion, clock, socketPause, other, pluginsRegistry, root);
    }

    public KubeletOptions withPluginsRegistry(Path directory) {
        return new KubeletOptions(minorVersion, clock, socketPause, apis, Optional.of(directory), root);
    }

    public KubeletOptions withRoot(Path directory) {
        return new KubeletOptions(minorVersion, clock, socketPause, apis, pluginsRegistry, Optional.of(directory));
    }
}
