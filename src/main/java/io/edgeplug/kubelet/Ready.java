package io.edgeplug.kubelet;

import io.edgeplug.container.ContainerFiles;
import io.edgeplug.container.Equipment;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.linux.Sysfs;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What of one resource can be handed over: its nodes and files were there when it was looked at last; thread-safe. */
final class Ready {

    private final Monitor monitor;
    private final HostFiles hostFiles;
    private final ContainerFiles files;
    private final Map<String, Equipment> byId = new ConcurrentHashMap<>();
    private volatile boolean isFar;

    Ready(DeviceClass deviceClass, Monitor monitor, Sysfs sysfs, ContainerFiles files) {
        this.monitor = monitor;
        this.hostFiles = HostFiles.of(sysfs, deviceClass);
        this.files = files;
    }

    Optional<Equipment> of(String id) {
        return Optional.ofNullable(byId.get(id));
    }

    /** Those that were looked at are ready, but for what has a problem and for what is gone. */
    void update(Collection<Equipment> looked, Map<String, String> problems, Collection<String> gone) {
        isFar |= looked.stream().anyMatch(HostFiles::isFar);
        gone.forEach(byId::remove);
        // one file may be of all, also of those that were not looked at
        problems.keySet().forEach(byId::remove);
        looked.stream().filter(one -> !problems.containsKey(one.id())).forEach(one -> byId.put(one.id(), one));
    }

    /** Whether any has had files that a look may hang at, for a second or so. */
    boolean isFar() {
        return isFar;
    }

    /** Why this cannot be handed over now; looks at attributes only. */
    Optional<String> problem(Equipment equipment) {
        return withoutFiles(equipment).or(() -> files.damage(equipment));
    }

    /** The same, but for the files that are written for it, which the caller looks at. */
    Optional<String> withoutFiles(Equipment equipment) {
        return equipment.problem().or(() -> missingOnHost(equipment));
    }

    /** Which file is another one than the scan looked at. */
    Optional<String> replaced(Equipment equipment) {
        return hostFiles.replaced(equipment);
    }

    /** Why what a device brings is not complete once it is prepared. */
    Optional<String> missingAfterwards(Equipment equipment) {
        return hostFiles.missingAfterwards(equipment);
    }

    /** While a device is prepared its nodes come and go, as they should. */
    private Optional<String> missingOnHost(Equipment equipment) {
        return monitor.isHeld(equipment.device()) ? Optional.empty() : hostFiles.problem(equipment);
    }

    /** The IDs of those that were ready, and have a node or a file that is not as it was. */
    Set<String> suspects() {
        Set<String> suspects = new HashSet<>();
        for (Equipment one : byId.values()) {
            if (problem(one).isPresent()) {
                suspects.add(one.id());
            }
        }
        return suspects;
    }

    /** The IDs of those that were ready and bring one of these nodes. */
    Set<String> having(Set<String> paths) {
        Set<String> having = new HashSet<>();
        if (!paths.isEmpty()) {
            byId.values().stream()
                    .filter(one -> one.nodes().stream().anyMatch(node -> paths.contains(node.hostPath())))
                    .forEach(one -> having.add(one.id()));
        }
        return having;
    }
}
