package io.edgeplug.node.supply;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.rules.DeviceClass;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * Chooses devices that are not shared, so that a container blocks as few other devices as possible. A container that
 * has one member of an IOMMU group blocks all others of it. So whole groups come first, then devices that are alone in
 * their groups, and then parts of groups. Among equal choices, {@link Affinity} decides.
 */
final class GroupChoice {

    private final DeviceClass deviceClass;
    private final Map<String, Device> devices;
    private final int size;

    /** The free IDs of each group with several devices, and all others. */
    private final Map<Integer, List<String>> groups = new TreeMap<>();

    private final List<String> alone = new ArrayList<>();
    private final Set<String> chosen;

    private GroupChoice(DeviceClass deviceClass, Map<String, Device> devices, Collection<String> must, int size) {
        this.deviceClass = deviceClass;
        this.devices = devices;
        this.size = size;
        this.chosen = new LinkedHashSet<>(must);
    }

    /**
     * Chooses {@code size} IDs, or all that are available and known if there are fewer.
     *
     * @param devices by ID, of each known ID
     * @param must IDs that come first, even if they are unknown or more than that
     */
    static Set<String> choose(
            DeviceClass deviceClass,
            Map<String, Device> devices,
            Collection<String> available,
            Collection<String> must,
            int size) {
        GroupChoice choice = new GroupChoice(deviceClass, devices, must, size);
        choice.group(available);
        if (choice.groups.isEmpty()) {
            choice.take(available, size);
            return choice.chosen;
        }
        choice.completeGroups();
        choice.takeWholeGroups();
        choice.take(choice.alone, size);
        choice.takeParts();
        return choice.chosen;
    }

    private void group(Collection<String> available) {
        for (String id : new LinkedHashSet<>(available)) {
            OptionalInt group = group(id);
            if (chosen.contains(id)) {
                continue;
            }
            if (group.isEmpty()) {
                alone.add(id);
            } else {
                groups.computeIfAbsent(group.getAsInt(), none -> new ArrayList<>())
                        .add(id);
            }
        }
        Set<Integer> begun = new LinkedHashSet<>();
        chosen.forEach(id -> group(id).ifPresent(begun::add));
        groups.entrySet().removeIf(entry -> {
            boolean isAlone = entry.getValue().size() == 1 && !begun.contains(entry.getKey());
            if (isAlone) {
                alone.addAll(entry.getValue());
            }
            return isAlone;
        });
    }

    private OptionalInt group(String id) {
        Device device = devices.get(id);
        return device == null ? OptionalInt.empty() : deviceClass.vfioGroup(device);
    }

    /** The required devices already block the rest of their groups, so the rest comes next. */
    private void completeGroups() {
        List<String> mates = new ArrayList<>();
        for (String id : chosen) {
            group(id).ifPresent(group -> {
                List<String> rest = groups.remove(group);
                mates.addAll(rest == null ? List.of() : rest);
            });
        }
        take(mates, size);
    }

    private void takeWholeGroups() {
        NavigableSet<Integer> sizes = new TreeSet<>();
        groups.values().forEach(ids -> sizes.add(ids.size()));
        for (int members : sizes.descendingSet()) {
            List<List<String>> fitting = groups.values().stream()
                    .filter(ids -> ids.size() == members)
                    .toList();
            // One device stands for each group, because the members of a group are near each other.
            take(fitting.stream().map(List::getFirst).toList(), chosen.size() + Math.max(0, left()) / members);
            for (List<String> ids : fitting) {
                if (chosen.contains(ids.getFirst())) {
                    chosen.addAll(ids);
                    groups.values().remove(ids);
                }
            }
        }
    }

    private void takeParts() {
        List<List<String>> smallestFirst = groups.values().stream()
                .sorted(Comparator.comparingInt(List::size))
                .toList();
        smallestFirst.forEach(ids -> take(ids, size));
    }

    private int left() {
        return size - chosen.size();
    }

    /** Takes of these until that many are taken in all. */
    private void take(Collection<String> ids, int until) {
        List<Device> free = known(ids.stream().filter(id -> !chosen.contains(id)));
        List<Device> near = known(chosen.stream());
        int needed = Math.min(until - chosen.size(), free.size());
        if (needed > 0) {
            Affinity.choose(
                            free,
                            near,
                            near.size() + needed,
                            deviceClass.placement().preference())
                    .stream()
                    .map(Device::id)
                    .forEach(chosen::add);
        }
    }

    private List<Device> known(Stream<String> ids) {
        return ids.distinct().flatMap(id -> Stream.ofNullable(devices.get(id))).toList();
    }

    /** Two containers of one request would get the same VFIO group, which only the first could open. */
    static void refuseSplit(DeviceClass deviceClass, List<Device> devices, List<Set<String>> containers)
            throws DeviceUnavailableException {
        Map<Integer, Device> first = new HashMap<>();
        for (Device device : devices) {
            OptionalInt group = deviceClass.vfioGroup(device);
            if (group.isEmpty()) {
                continue;
            }
            Device mate = first.putIfAbsent(group.getAsInt(), device);
            if (mate != null
                    && containers.stream().anyMatch(ids -> ids.contains(mate.id()) != ids.contains(device.id()))) {
                throw DeviceUnavailableException.unhealthy(
                        deviceClass.resource(),
                        device.id(),
                        "its IOMMU group " + group.getAsInt() + " is in use: a container of the same request gets "
                                + mate.id());
            }
        }
    }
}
