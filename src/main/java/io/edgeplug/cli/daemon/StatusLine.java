package io.edgeplug.cli.daemon;

import io.edgeplug.api.kubelet.DevicePlugins;
import io.edgeplug.api.status.DaemonHistory;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.supply.HolderNotes;
import io.edgeplug.system.flow.Follower;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.systemd.SystemdNotify;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** Keeps the line in {@code systemctl status} current: the kubelet, the resources and their healthy devices. */
final class StatusLine implements AutoCloseable {

    /** Beyond this, only the number of resources is shown. */
    private static final int MAX_NAMED = 8;

    private static final Duration BURST = Duration.ofMillis(50);

    private final SystemdNotify systemd;
    private final Monitor monitor;
    private final DevicePlugins plugins;
    private final HolderNotes notes;
    private final DaemonHistory history;
    private final List<Follower> followers;

    // The fields below are guarded by this.
    private List<ResourceName> resources = List.of();
    private long toRegister;
    private String told = "";

    /** Reports that the service is ready, and then each change. */
    StatusLine(
            SystemdNotify systemd,
            Monitor monitor,
            DevicePlugins plugins,
            HolderNotes notes,
            List<DeviceClass> classes,
            DaemonHistory history) {
        this.systemd = systemd;
        this.monitor = monitor;
        this.plugins = plugins;
        this.notes = notes;
        this.history = history;
        ready(classes);
        this.followers = List.of(
                monitor.inventories().follow(Front.STATUS, "status of devices", Duration.ZERO, newest -> tell()),
                // Many resources register at once, and systemd gets one message.
                plugins.follow("status of plugins", BURST, this::tell),
                notes.follow("status of holders", this::tell));
    }

    /** Reports that the service is ready, with the classes in use. */
    synchronized void ready(List<DeviceClass> classes) {
        resources = classes.stream().map(DeviceClass::resource).toList();
        toRegister = classes.stream().filter(one -> !one.isClaimed()).count();
        told = text();
        systemd.ready(told);
    }

    private synchronized void tell() {
        String now = text();
        if (!now.equals(told)) {
            told = now;
            systemd.status(now);
        }
    }

    private String text() {
        Inventory inventory = monitor.current();
        int registered = plugins.registered().size();
        String kubelet = !plugins.hasKubelet()
                ? "waiting for kubelet: "
                : registered < toRegister ? registered + " of " + toRegister + " registered: " : "";
        String devices = resources.stream()
                .limit(MAX_NAMED)
                .map(resource -> count(resource, inventory))
                .collect(Collectors.joining(", "));
        int more = resources.size() - MAX_NAMED;
        return history.configuration()
                        .problem()
                        .map(text -> "configuration: " + text + "; ")
                        .orElse("")
                + notes.state().problems().stream()
                        .findFirst()
                        .map(text -> "holders not known: " + text + "; ")
                        .orElse("")
                + kubelet
                + devices
                + (more > 0 ? " and " + more + " more resources" : "");
    }

    private static String count(ResourceName resource, Inventory inventory) {
        List<Device> devices = inventory.devices(resource);
        long healthy =
                devices.stream().filter(device -> device.health().isHealthy()).count();
        return resource + " " + healthy + (healthy == devices.size() ? "" : " of " + devices.size() + " healthy");
    }

    @Override
    public void close() {
        followers.forEach(Follower::close);
    }
}
