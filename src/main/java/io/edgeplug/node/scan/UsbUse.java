package io.edgeplug.node.scan;

import io.edgeplug.model.device.NodeUse;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * How the node itself uses a USB device, whose pod could take it from the node: by its network interfaces, and by disks that
 * are mounted or a part of something; see {@code mountinfo} in proc(5). A disk that is only swapped to is not known.
 */
record UsbUse(Sysfs sysfs) {

    private static final String MOUNTS = "proc/thread-self/mountinfo";
    private static final int MAX_BYTES = 1 << 20;

    private static final int NUMBER = 2;
    private static final int POINT = 4;
    private static final int FIELDS = 6;

    /**
     * What the node has, as the object of "has"; empty if it has nothing.
     *
     * @param netNames the interfaces that drivers have made of it
     * @param disks its disks and their partitions
     */
    Optional<String> of(List<String> netNames, List<UsbDevice.Node> disks) throws IOException {
        if (!netNames.isEmpty()) {
            NodeUse use = new NodeUses(sysfs).of(netNames);
            if (use.level() != NodeUse.Level.NONE) {
                return Optional.of(use.text());
            }
        }
        return disks.isEmpty() ? Optional.empty() : ofDisks(disks);
    }

    private Optional<String> ofDisks(List<UsbDevice.Node> disks) throws IOException {
        for (UsbDevice.Node disk : disks) {
            String name = disk.path().substring(disk.path().lastIndexOf('/') + 1);
            List<String> holders = sysfs.names("sys/class/block/" + name + "/holders");
            if (!holders.isEmpty()) {
                return Optional.of(disk.path() + " as a part of " + holders.getFirst());
            }
        }
        String mounts = sysfs.readBytes(MOUNTS, MAX_BYTES)
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .orElse("");
        return mounts.lines()
                .flatMap(line -> disks.stream()
                        .filter(disk -> isOf(line, disk))
                        .map(disk -> disk.path() + " mounted on " + line.split(" ", FIELDS)[POINT])
                        .limit(1))
                .findFirst();
    }

    /** Some file systems, such as {@code btrfs}, have numbers of their own, and name the disk as their source. */
    private static boolean isOf(String line, UsbDevice.Node disk) {
        String[] fields = line.split(" ", FIELDS);
        return fields.length == FIELDS
                && (fields[NUMBER].equals(disk.number()) || line.contains(" " + disk.path() + " "));
    }
}
