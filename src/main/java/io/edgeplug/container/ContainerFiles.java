package io.edgeplug.container;

import io.edgeplug.rules.DeviceClass;
import io.edgeplug.rules.HandOver;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** All files that the containers of one resource need to be there before they are made. */
public final class ContainerFiles {

    private final DeviceInfoFiles deviceInfo;
    private final CdiSpecs cdi;
    private final boolean isByName;

    public ContainerFiles(ContainerDirectories directories, DeviceClass deviceClass) {
        this.deviceInfo = new DeviceInfoFiles(directories.deviceInfo(), deviceClass);
        this.cdi = new CdiSpecs(directories.cdi(), deviceClass.resource());
        this.isByName = deviceClass.container().handOver() == HandOver.CDI;
    }

    /** Has so many shares of each device have files from now on; returns whether {@link #keep} is needed for that. */
    public boolean list(int shares) {
        return deviceInfo.list(shares);
    }

    /**
     * Makes these the devices that have files, and looks at each file.
     *
     * @return by ID, why a device cannot be handed over, since a file of its could not be written or is of no use
     */
    public Map<String, String> keep(Collection<Equipment> devices) {
        Map<String, String> problems = new HashMap<>(deviceInfo.keep(sound(devices)));
        // one file has them all
        problems.putAll(cdi.keep(isByName ? sound(devices) : List.of()));
        return problems;
    }

    /**
     * The same, and looks only at the files of some: of thousands of devices few change at once. What has nothing to do
     * with them, as a file of an earlier run, waits for {@link #keep}.
     *
     * @param changed those that were not kept before as they are, or not without a problem
     * @param gone the IDs that were kept before and are not among the devices
     */
    public Map<String, String> update(
            Collection<Equipment> devices, Collection<Equipment> changed, Collection<String> gone) {
        List<Equipment> sound = sound(changed);
        Set<String> without = new HashSet<>(gone);
        changed.forEach(device -> without.add(device.id()));
        sound.forEach(device -> without.remove(device.id()));
        Map<String, String> problems = new HashMap<>(deviceInfo.update(sound, without));
        if (isByName) {
            problems.putAll(cdi.keep(sound(devices)));
        }
        return problems;
    }

    private static List<Equipment> sound(Collection<Equipment> devices) {
        return devices.stream().filter(device -> device.problem().isEmpty()).toList();
    }

    /** A line for each file of others that is no specification, though it is where specifications are. */
    public List<String> unread() {
        return cdi.unread();
    }

    /** Whether only {@link #keep} can put in order what is there. */
    public boolean hasLeftovers() {
        return deviceInfo.hasLeftovers() || cdi.hasLeftovers();
    }

    /** What has become of a device's files since they were written; looks at their attributes only. */
    public Optional<String> damage(Equipment device) {
        if (isByName && !cdi.isKept(device)) {
            return Optional.of("its CDI specification was changed or removed by somebody else");
        }
        return deviceInfo.isKept(device)
                ? Optional.empty()
                : Optional.of("its device information file was changed or removed by somebody else");
    }
}
