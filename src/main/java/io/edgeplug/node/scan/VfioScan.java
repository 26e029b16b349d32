package io.edgeplug.node.scan;

import io.edgeplug.model.device.Vfio;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** Reads the nodes of a function that is bound to a VFIO driver. */
record VfioScan(Sysfs sysfs) {

    private static final Pattern DEVICE = Pattern.compile("vfio\\d{1,9}");

    /** The nodes of the function with that directory and that IOMMU group. */
    Vfio read(String directory, OptionalInt group) throws IOException {
        Optional<String> device = device(directory + "vfio-dev/");
        if (group.isEmpty()) {
            return new Vfio(group, false, device);
        }
        boolean isWithoutIommu = sysfs.read("sys/kernel/iommu_groups/" + group.getAsInt() + "/name")
                .equals(Optional.of("vfio-noiommu"));
        String node = (isWithoutIommu ? "noiommu-" : "") + group.getAsInt();
        boolean hasGroupNode = device.isEmpty() || sysfs.names("sys/class/vfio").contains(node);
        return new Vfio(hasGroupNode ? group : OptionalInt.empty(), isWithoutIommu, device);
    }

    /** Kernels from 6.1 always have the name. There is a node only if the kernel is built with it. */
    private Optional<String> device(String directory) throws IOException {
        for (String name : sysfs.names(directory)) {
            if (DEVICE.matcher(name).matches()
                    && sysfs.read(directory + name + "/dev").isPresent()) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }
}
