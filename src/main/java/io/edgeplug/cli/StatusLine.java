package io.edgeplug.cli;

import io.edgeplug.device.Device;
import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.kubelet.DevicePlugins;
import io.edgeplug.linux.SystemdNotify;
import io.edgeplug.rules.DeviceClass;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** Keeps the line in {@code systemctl status} current: the kubelet, the resources and their healthy devices. */
final class StatusLine implements AutoCloseable {

    /** Beyond this, only the number of resources is shown. */
    private static final int MAX_NAMED = 8;

    private static final Duration BURST = Duration.ofMillis(50);

    private final SystemdNotify systemd;
    private final Monitor monitor;
    private final DevicePlugins plugins;
    private final List<Thread> followers;
    private final CountDownLatch closed = new CountDownLatch(1);

    // The fields below are guarded by this.
    private List<ResourceName> resources = List.of();
    private long toRegister;
    private Optional<String> problem = Optional.empty();
    private String told = "";

    private StatusLine(SystemdNotify systemd, Monitor monitor, DevicePlugins plugins) {
        this.systemd = systemd;
        this.monitor = monitor;
        this.plugins = plugins;
        this.followers = List.of(
                Thread.ofVirtual().name("status of devices").unstarted(this::followDevices),
                Thread.ofVirtual().name("status of plugins").unstarted(this::followPlugins));
    }

    /** Reports that the service is ready, and then each change. */
    static StatusLine start(SystemdNotify systemd, Monitor monitor, DevicePlugins plugins, List<DeviceClass> classes) {
        StatusLine status = new StatusLine(systemd, monitor, plugins);
        status.ready(classes, Optional.empty());
        status.followers.forEach(Thread::start);
        return status;
    }

    /** Reports that the service is ready, with the classes in use and the problem of the configuration. */
    synchronized void ready(List<DeviceClass> classes, Optional<String> wrong) {
        resources = classes.stream().map(DeviceClass::resource).toList();
        toRegister = classes.stream().filter(one -> !one.isClaimed()).count();
        problem = wrong;
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
        return problem.map(text -> text + "; ").orElse("")
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

    private void followDevices() {
        try {
            long generation = -1;
            while (true) {
                generation = monitor.awaitNewerThan(generation).generation();
                tell();
            }
        } catch (InterruptedException e) {
            // the service ends
        }
    }

    private void followPlugins() {
        try {
            long generation = -1;
            while (true) {
                generation = plugins.awaitNewerThan(generation);
                // Many resources register at once, and systemd gets one message.
                if (closed.await(BURST.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                }
                tell();
            }
        } catch (InterruptedException e) {
            // the service ends
        }
    }

    @Override
    public void close() {
        closed.countDown();
        followers.forEach(Thread::interrupt);
    }
}
