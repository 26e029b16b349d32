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
     * @throws IOException if the directory cannot be watched
     */
    public static DevicePlugins open(Path kubeletDir, Monitor monitor, List<DeviceClass> classes) throws IOException {
        SocketNames.deleteAbandoned(kubeletDir);
        PluginDirectory directory = PluginDirectory.open(kubeletDir);
        if (directory.view().kubelet().isEmpty()) {
            LOG.info(() -> "waiting for the kubelet: there is no " + directory.kubeletSocket());
        }
        UnixRpc rpc = UnixRpc.open();
        List<ResourcePlugin> plugins = new ArrayList<>();
        for (DeviceClass deviceClass : classes) {
            plugins.add(ResourcePlugin.start(rpc, directory, monitor, deviceClass));
        }
        return new DevicePlugins(rpc, directory, plugins);
    }

    /** Takes all sockets away, without a farewell: an empty list would have the kubelet fail running containers. */
    @Override
    public void close() throws IOException {
        plugins.forEach(ResourcePlugin::stop);
        plugins.forEach(ResourcePlugin::close);
        rpc.close();
        directory.close();
    }
}
