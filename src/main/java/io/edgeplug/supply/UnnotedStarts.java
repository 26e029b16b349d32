package io.edgeplug.supply;

import io.edgeplug.device.Device;
import io.edgeplug.inventory.Inventory.Item;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.pods.KubeletPods;
import io.edgeplug.prepare.UseNotes.Use;
import io.edgeplug.rules.DeviceClass;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Containers whose start was not noted as a use of their devices: it was not seen, or their class did not require it
 * yet. Their devices must be scrubbed too.
 */
final class UnnotedStarts {

    private final Monitor monitor;
    private final DeviceUsers users;

    /** The pods that have started with a device, or had used it before. */
    private record Start(Device device, DeviceClass deviceClass, Set<String> pods) {}

    UnnotedStarts(Monitor monitor, DeviceUsers users) {
        this.monitor = monitor;
        this.users = users;
    }

    /** Notes such containers among the holders. Waits for the disk. */
    void note(HeldDevices held) {
        Optional<KubeletPods> pods = users.ofDaemon();
        if (pods.isEmpty()) {
            return;
        }
        KubeletPods kubelet = pods.orElseThrow();
        List<Item> items = monitor.current().items().stream()
                .filter(item ->
                        item.deviceClass().filter(DeviceClass::tracksUse).isPresent())
                .filter(item -> find(item, held, kubelet).isPresent())
                .toList();
        if (items.isEmpty()) {
            return;
        }
        // The caller may be a virtual thread, which would block its carrier until the disk has answered.
        Thread disk = Thread.ofPlatform()
                .name("unnoted starts")
                .daemon()
                .start(() -> items.forEach(item ->
                        // This looks again, because the same device may just have been noted as another of its faces.
                        find(item, held, kubelet).ifPresent(start -> note(start, kubelet.kubeletDir()))));
        try {
            disk.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Optional<Start> find(Item item, HeldDevices held, KubeletPods kubelet) {
        Device device = item.device();
        DeviceClass deviceClass = item.deviceClass().orElseThrow();
        List<Holding> started = held.all(deviceClass.resource(), device).stream()
                .filter(holding -> UnpreparedStarts.hasStarted(kubelet, holding))
                .toList();
        if (started.isEmpty()) {
            return Optional.empty();
        }
        Optional<Use> use = users.find(device);
        Set<String> pods = DeviceUsers.uids(started);
        use.ifPresent(before -> pods.addAll(before.pods()));
        boolean isNoted = use.filter(before -> before.pods().equals(pods)).isPresent();
        // Uses of another face's recipe, and uses that are under way, are left alone.
        boolean isOther = use.filter(before -> before.isReleased()
                        || !before.resource()
                                .equals(Optional.of(deviceClass.resource().toString())))
                .isPresent();
        return isNoted || isOther ? Optional.empty() : Optional.of(new Start(device, deviceClass, pods));
    }

    private void note(Start start, Path kubeletDir) {
        try {
            users.note(start.device(), start.deviceClass(), start.pods(), kubeletDir);
        } catch (IOException e) {
            users.tellOnce(start.device().id(), String.valueOf(e.getMessage()));
        }
    }
}
