package io.edgeplug.node.supply;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PlatformFpga;
import io.edgeplug.model.device.SoftwareHca;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.model.rules.Preference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Chooses devices that are near each other: on the fewest NUMA nodes, then below the fewest root ports, and then on the
 * fewest PFs, or spread over PFs if that is preferred.
 *
 * <p>At each level it takes the smallest group that has enough devices, so that larger groups stay whole. If no group
 * has enough, it takes the largest one and goes on. Groups with a required device come first.
 */
public final class Affinity {

    /** The place of a device that is no PCI function, or whose place is unknown. */
    private static final String NOWHERE = "";

    private static final List<Function<Device, Object>> LEVELS =
            List.of(Affinity::numaNode, Affinity::rootPort, Affinity::physicalFunction);

    private final Preference preference;
    private final List<Device> must;

    private Affinity(Preference preference, List<Device> must) {
        this.preference = preference;
        this.must = must;
    }

    /**
     * Chooses {@code size} devices, or all if there are fewer.
     *
     * @param must devices of {@code available} that come first
     * @return {@code must} and then the others, none twice
     */
    public static List<Device> choose(
            Collection<Device> available, Collection<Device> must, int size, Preference preference) {
        Map<String, Device> chosen = byId(must);
        Map<String, Device> free = byId(available);
        free.keySet().removeAll(chosen.keySet());
        int needed = Math.min(Math.max(0, size - chosen.size()), free.size());
        List<Device> taken = List.copyOf(chosen.values());
        List<Device> others = new Affinity(preference, taken).near(List.copyOf(free.values()), needed, 0);
        return Stream.concat(taken.stream(), others.stream()).toList();
    }

    private static Map<String, Device> byId(Collection<Device> devices) {
        Map<String, Device> byId = new LinkedHashMap<>();
        devices.forEach(device -> byId.put(device.id(), device));
        return byId;
    }

    private List<Device> near(List<Device> free, int needed, int level) {
        if (needed == free.size()) {
            return free;
        }
        if (level == LEVELS.size()) {
            return free.subList(0, needed);
        }
        if (level > 0 && preference == Preference.SPREAD) {
            return inTurn(groups(free, Affinity::physicalFunction, must), needed);
        }
        List<Device> taken = new ArrayList<>();
        Function<Device, Object> place = LEVELS.get(level);
        List<Group> groups = groups(free, place, must);
        while (taken.size() < needed) {
            int left = needed - taken.size();
            Group best = best(groups, left);
            groups.remove(best);
            taken.addAll(near(best.free(), Math.min(left, best.free().size()), level + 1));
        }
        return taken;
    }

    /**
     * A group with a required device. Otherwise the smallest group that has enough, or the largest if devices are
     * spread in it. Otherwise the largest group.
     */
    private Group best(List<Group> groups, int needed) {
        Comparator<Group> order = Comparator.comparing((Group group) -> group.must() == 0)
                .thenComparing(group -> group.free().size() < needed)
                .thenComparingInt(group -> group.free().size() < needed || preference == Preference.SPREAD
                        ? -group.free().size()
                        : group.free().size());
        return groups.stream().min(order).orElseThrow();
    }

    /** Takes one device of each group in turn, beginning where the fewest are taken and the most are free. */
    private static List<Device> inTurn(List<Group> groups, int needed) {
        List<Device> taken = new ArrayList<>();
        groups.sort(Comparator.comparingInt(Group::must)
                .thenComparing(
                        Comparator.comparingInt((Group group) -> group.free().size())
                                .reversed()));
        List<Deque<Device>> queues = new ArrayList<>();
        groups.forEach(group -> queues.add(new ArrayDeque<>(group.free())));
        while (taken.size() < needed) {
            for (Deque<Device> queue : queues) {
                if (taken.size() < needed && !queue.isEmpty()) {
                    taken.add(queue.remove());
                }
            }
        }
        return taken;
    }

    private static List<Group> groups(List<Device> free, Function<Device, Object> place, List<Device> must) {
        Map<Object, List<Device>> byPlace = new LinkedHashMap<>();
        free.forEach(device -> byPlace.computeIfAbsent(place.apply(device), at -> new ArrayList<>())
                .add(device));
        Map<Object, Integer> mustAt = new LinkedHashMap<>();
        must.forEach(device -> mustAt.merge(place.apply(device), 1, Integer::sum));
        List<Group> groups = new ArrayList<>();
        byPlace.forEach((at, devices) -> groups.add(new Group(devices, mustAt.getOrDefault(at, 0))));
        return groups;
    }

    /**
     * Devices at one place.
     *
     * @param must how many devices are already taken there
     */
    private record Group(List<Device> free, int must) {}

    private static Object numaNode(Device device) {
        return device.numaNode();
    }

    private static Object rootPort(Device device) {
        return device instanceof PciDevice pci ? pci.function().rootPort() : NOWHERE;
    }

    private static Object physicalFunction(Device device) {
        return switch (device) {
            case VirtualFunction vf -> vf.physicalFunction();
            case PciDevice pci -> pci.function().address();
            case SoftwareHca hca -> NOWHERE;
            case PlatformFpga fpga -> NOWHERE;
            case PathDevice path -> NOWHERE;
            case UsbDevice usb -> NOWHERE;
        };
    }
}
