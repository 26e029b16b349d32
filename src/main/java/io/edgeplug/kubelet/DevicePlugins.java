package io.edgeplug.kubelet;

import io.edgeplug.device.DeviceClass;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.linux.UnixRpc;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Logger;

/** The device plugins of a node, one for each resource, registered with its kubelet while this is open. */
public final class DevicePlugins implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(DevicePlugins.class.getName());

    private final UnixRpc rpc;
    private final PluginDirectory directory;
    private final List<ResourcePlugin> plugins;

    private DevicePlugins(UnixRpc rpc, PluginDirectory directory, List<ResourcePlugin> plugins) {
        this.rpc = rpc;
        this.directory = directory;
        this.plugins = plugins;
    }

    /**
     * Starts to serve and to register; a kubelet that is not there yet is waited for.
     *
     * @param kubeletDir the kubelet's directory for device plugins, which may be missing yet
     * @throws IOException if the directory cannot be watched, or another daemon serves in it
     */
    public static DevicePlugins open(
            Path kubeletDir, Monitor monitor, Preparations preparations, List<DeviceClass> classes) throws IOException {
        SocketNames.deleteAbandoned(kubeletDir);
        PluginDirectory directory = PluginDirectory.devicePlugins(kubeletDir);
        if (directory.view().kubelet().isEmpty()) {
            LOG.info(() -> "waiting for the kubelet: there is no " + directory.kubeletSocket());
        }
        return start(directory, monitor, preparations, classes, List.of(new V1beta1(), new V1alpha1()));
    }

    /**
     * Starts to serve where the kubelet's plugin watcher finds the sockets.
     *
     * @param registry the kubelet's {@code plugins_registry}, which may be missing yet
     * @throws IOException if the directory cannot be watched, or another daemon serves in it
     */
    public static DevicePlugins openInRegistry(
            Path registry, Monitor monitor, Preparations preparations, List<DeviceClass> classes) throws IOException {
        SocketNames.deleteAbandoned(registry);
        return start(
                PluginDirectory.pluginsRegistry(registry),
                monitor,
                preparations,
                classes,
                List.of(new PluginsRegistry()));
    }

    private static DevicePlugins start(
            PluginDirectory directory,
            Monitor monitor,
            Preparations preparations,
            List<DeviceClass> classes,
            List<KubeletApi> apis)
            throws IOException {
        UnixRpc rpc;
        try {
            rpc = UnixRpc.open();
        } catch (IOException e) {
            directory.close();
            throw e;
        }
        List<ResourcePlugin> plugins = new ArrayList<>();
        for (DeviceClass deviceClass : classes) {
            Resource resource = new Resource(deviceClass, monitor, preparations);
            List<KubeletApi> usable =
                    apis.stream().filter(api -> api.serves(resource)).toList();
            plugins.add(ResourcePlugin.start(rpc, directory, resource, usable));
        }
        return new DevicePlugins(rpc, directory, plugins);
    }

    /** Takes all sockets away, without a farewell: an empty list would have the kubelet fail running containers. */
    @Override
    public void close() throws IOException {
        plugins.forEach(ResourcePlugin::stop);
        plugins.forEach(ResourcePlugin::awaitEnd);
        rpc.close();
        directory.close();
    }
}
