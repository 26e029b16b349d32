package io.edgeplug.cli.notes;

import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Sharing;
import io.edgeplug.node.scan.FileScan;
import io.edgeplug.system.files.Sysfs;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Checks that a node has room for the devices of the classes. If there are too many, the daemon would list fewer, so a
 * change of the configuration is refused first.
 */
public final class NodeFit {

    private NodeFit() {}

    /**
     * Checks the shares of these devices.
     *
     * @throws ConfigException with a line for each class that has too many
     */
    public static void check(List<DeviceClass> classes, Collection<Device> devices) throws ConfigException {
        Map<DeviceClass, Integer> counts = new LinkedHashMap<>();
        for (Device device : devices) {
            classes.stream()
                    .filter(one -> one.takes(device))
                    .findFirst()
                    .filter(one -> one.sharing().isShared())
                    .ifPresent(one -> counts.merge(one, 1, Integer::sum));
        }
        int shared = counts.values().stream().mapToInt(Integer::intValue).sum();
        long all = 0;
        for (Map.Entry<DeviceClass, Integer> count : counts.entrySet()) {
            all += (long) count.getKey().sharing().shares() * count.getValue();
        }
        List<String> mistakes = new ArrayList<>();
        for (Map.Entry<DeviceClass, Integer> count : counts.entrySet()) {
            Sharing sharing = count.getKey().sharing();
            int fitting = sharing.listed(shared, all);
            if (fitting < sharing.shares()) {
                mistakes.add(
                        "%s: shares: %d of each of %d devices are too many: all classes of this node have %d shares, and may have %d; with %d they fit"
                                .formatted(
                                        count.getKey().resource(),
                                        sharing.shares(),
                                        count.getValue(),
                                        all,
                                        Sharing.MAX_LISTED,
                                        fitting));
            }
        }
        throwIfAny(mistakes);
    }

    /**
     * Checks how many files the classes name.
     *
     * @throws ConfigException with a line for each pattern that names too many
     */
    public static void checkPaths(List<DeviceClass> classes, Sysfs sysfs) throws ConfigException {
        throwIfAny(new FileScan(sysfs)
                .paths(classes.stream().map(DeviceClass::files).toList())
                .excess());
    }

    private static void throwIfAny(List<String> mistakes) throws ConfigException {
        if (!mistakes.isEmpty()) {
            throw new ConfigException(mistakes);
        }
    }
}
