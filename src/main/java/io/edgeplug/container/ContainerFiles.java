package io.edgeplug.container;

import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.HandOver;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

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

    /**
     * Makes these the devices that have files.
     *
     * @param sameAsBefore which devices were kept before without a problem and have not changed
     * @return by ID, why a device cannot be handed over, since a file of its could not be written or is of no use
     */
    public Map<String, String> keep(Collection<Equipment> devices, Predicate<Equipment> sameAsBefore) {
        List<Equipment> sound =
                devices.stream().filter(device -> device.problem().isEmpty()).toList();
        Map<String, String> problems = new HashMap<>(deviceInfo.keep(sound, sameAsBefore));
        // one file has them all
        problems.putAll(cdi.keep(isByName ? sound : List.of()));
        return problems;
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
