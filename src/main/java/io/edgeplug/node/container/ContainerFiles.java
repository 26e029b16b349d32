package io.edgeplug.node.container;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PodInterface;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.HandOver;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** All files that must exist before a container of one resource is made. */
public final class ContainerFiles {

    private final DeviceInfoFiles deviceInfo;
    private final CdiSpecs cdi;
    private final boolean isByName;

    /**
     * The files of a class.
     *
     * @param interfaces the network interface of a device that a pod has or gets now; asked whenever files are written
     */
    public ContainerFiles(
            ContainerDirectories directories,
            DeviceClass deviceClass,
            Function<Device, Optional<PodInterface>> interfaces) {
        this.deviceInfo = new DeviceInfoFiles(directories.deviceInfo(), deviceClass);
        this.cdi = new CdiSpecs(directories.cdi(), deviceClass.resource(), interfaces);
        this.isByName = deviceClass.container().handOver() == HandOver.CDI;
    }

    /**
     * Sets how many shares of each device have files from now on. Returns whether {@link #keep} must be called for
     * that.
     */
    public boolean list(int shares) {
        return deviceInfo.list(shares);
    }

    /**
     * Makes these the devices that have files, and checks each file.
     *
     * @return by ID, why a device cannot be handed over: a file of it could not be written or is of no use
     */
    public Map<String, String> keep(Collection<Equipment> devices) {
        Map<String, String> problems = new HashMap<>(deviceInfo.keep(sound(devices)));
        // One file has all devices.
        problems.putAll(cdi.keep(isByName ? named(devices) : List.of()));
        return problems;
    }

    /**
     * The same, but checks only the files of some devices, because few of thousands change at a time. Other files, such
     * as those of an earlier run, wait for {@link #keep}.
     *
     * @param changed devices that are new or changed, or had a problem
     * @param gone the IDs of devices that are gone
     */
    public Map<String, String> update(
            Collection<Equipment> devices, Collection<Equipment> changed, Collection<String> gone) {
        List<Equipment> sound = sound(changed);
        Set<String> without = new HashSet<>(gone);
        changed.forEach(device -> without.add(device.id()));
        sound.forEach(device -> without.remove(device.id()));
        Map<String, String> problems = new HashMap<>(deviceInfo.update(sound, without));
        if (isByName) {
            problems.putAll(cdi.keep(named(devices)));
        }
        return problems;
    }

    /** A container that starts again with a device that is another one now must not find that by its name. */
    private static List<Equipment> named(Collection<Equipment> devices) {
        return sound(devices).stream()
                .filter(device -> device.device().health().isNamed())
                .toList();
    }

    private static List<Equipment> sound(Collection<Equipment> devices) {
        return devices.stream().filter(device -> device.problem().isEmpty()).toList();
    }

    /** Whether the CDI specification says where the network interface of a device is now. */
    public boolean areCurrent(Device device) {
        return cdi.isCurrent(device);
    }

    /** A line for each foreign file in the directory of specifications that is none. */
    public List<String> unread() {
        return cdi.unread();
    }

    /** Whether there are files that only {@link #keep} can put right. */
    public boolean hasLeftovers() {
        return deviceInfo.hasLeftovers() || cdi.hasLeftovers();
    }

    /** The change to a device's files since they were written. Reads only their attributes. */
    public Optional<String> damage(Equipment device) {
        if (isByName && !cdi.isKept(device)) {
            return Optional.of("its CDI specification was changed or removed by somebody else");
        }
        return deviceInfo.isKept(device)
                ? Optional.empty()
                : Optional.of("its device information file was changed or removed by somebody else");
    }
}
