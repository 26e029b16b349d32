package io.edgeplug.node.supply;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.ContainerFiles;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.node.container.IommuGroups;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.supply.HostFiles.Finding;
import io.edgeplug.node.supply.LookRequests.Extent;
import io.edgeplug.system.files.FarPathException;
import io.edgeplug.system.flow.Latest;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The last look at devices before they are handed over, because a file may have gone a moment ago. A device with a
 * missing file leaves the stock at once. Any thread may call it.
 *
 * @param looks begins a round of looks at directories of device nodes
 * @param requests gets requests for a look at devices with a problem
 */
record LastLook(
        DeviceClass deviceClass,
        Monitor monitor,
        Latest<Stock> stock,
        HostFiles hostFiles,
        Supplier<MountedNodes> looks,
        ContainerFiles files,
        LookRequests requests) {

    /**
     * Runs code that calls {@link #equipment} on a thread that may be lost.
     *
     * @param late gets the reason if the code does not end in time; it may still end later
     */
    void run(Runnable asking, Consumer<DeviceUnavailableException> late) {
        hostFiles.run(asking, hung -> {
            if (hung.device().isEmpty()) {
                late.accept(DeviceUnavailableException.notLookedAt(deviceClass.resource()));
                return;
            }
            note(hung.device(), hung.problem());
            late.accept(unhealthy(hung.device(), hung.problem()));
        });
    }

    /**
     * What these devices bring, if their nodes and files exist now. Reads attributes only.
     *
     * @param mayWait whether it waits, up to a deadline, if a look may hang
     * @throws DeviceUnavailableException if one cannot be handed over; the kubelet is informed then
     * @throws FarPathException if a look may hang and it must not wait
     */
    List<Equipment> equipment(Collection<Device> devices, boolean mayWait) throws DeviceUnavailableException {
        Stock now = stock.get();
        List<Equipment> equipment = new ArrayList<>();
        for (Device device : devices) {
            Optional<String> known = Optional.ofNullable(now.problems().get(device.id()));
            if (known.isPresent()) {
                requests.add(Extent.UPKEEP, Set.of());
                throw unhealthy(device.id(), known.orElseThrow());
            }
            Equipment one = equipment(device, now);
            Finding found = mayWait ? hostFiles.look(one) : hostFiles.lookAtOnce(one);
            Optional<String> problem = found.problem().or(() -> files.damage(one));
            if (problem.isPresent()) {
                note(device.id(), problem.orElseThrow());
                throw unhealthy(device.id(), problem.orElseThrow());
            }
            // The next scan will find this. Until then it is no worse than before.
            if (found.replaced().isPresent()) {
                throw unhealthy(device.id(), found.replaced().orElseThrow());
            }
            equipment.add(one);
        }
        return equipment;
    }

    /** What was worked out before if the device is unchanged. Otherwise checks now whether the change matters. */
    private Equipment equipment(Device device, Stock now) throws DeviceUnavailableException {
        Optional<Equipment> known = now.sound(device.id());
        if (known.filter(one -> one.device().equals(device)).isPresent()) {
            return known.orElseThrow();
        }
        Equipment newest = looks.get()
                .open(Equipment.of(
                        deviceClass, device, IommuGroups.of(monitor.current().devices())));
        if (known.filter(newest::isLike).isEmpty()) {
            // Since it was found fit, it may have gone or become unhealthy.
            List<Device> ignored = monitor.publication().fitDevices(deviceClass.resource(), Set.of(device.id()));
            throw unhealthy(device.id(), "it has just changed, and is not ready to be handed over yet");
        }
        return newest;
    }

    /** What is no longer as it was when the device was looked at last; empty if all of it is. */
    Optional<String> changed(Device device) {
        return Optional.ofNullable(stock.get().equipment().get(device.id()))
                .map(hostFiles::look)
                .flatMap(found -> found.problem().or(found::replaced));
    }

    /** The mount that the device's recipe should have made and has not. */
    Optional<String> missingAfterwards(Device device) {
        return stock.get().sound(device.id()).flatMap(hostFiles::missingAfterwards);
    }

    private void note(String device, String problem) {
        Stock ignored = stock.change(before -> before.withProblem(device, problem));
        requests.add(Extent.UPKEEP, Set.of());
    }

    private DeviceUnavailableException unhealthy(String device, String reason) {
        return DeviceUnavailableException.unhealthy(deviceClass.resource(), device, reason);
    }
}
