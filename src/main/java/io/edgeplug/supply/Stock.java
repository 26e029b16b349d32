package io.edgeplug.supply;

import io.edgeplug.container.Equipment;
import io.edgeplug.device.Device;
import io.edgeplug.device.Health;
import io.edgeplug.flow.Difference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What there is of one resource at one time: its devices, what each brings into a container, and why one cannot be handed
 * over.
 *
 * @param number higher for each of which the kubelet is to know
 * @param devices in the health that the kubelet is told
 * @param shares of each device, that the kubelet is told
 * @param numaNodes of the node
 * @param equipment by ID, what each device brings, whose nodes and files were looked at
 * @param problems by ID, why a device that is healthy by itself cannot be handed over
 */
public record Stock(
        long number,
        List<Device> devices,
        int shares,
        List<Integer> numaNodes,
        Map<String, Equipment> equipment,
        Map<String, String> problems) {

    static final Stock EMPTY = new Stock(0, List.of(), 1, List.of(), Map.of(), Map.of());

    public Stock {
        devices = List.copyOf(devices);
        numaNodes = List.copyOf(numaNodes);
        equipment = Map.copyOf(equipment);
        problems = Map.copyOf(problems);
    }

    /** The device in the health that the kubelet is told: its own, unless there is another problem. */
    static Device told(Device device, Optional<String> problem) {
        return problem.filter(text -> device.health().isHealthy())
                .map(text -> device.withHealth(Health.unhealthy(text)))
                .orElse(device);
    }

    private static List<Device> told(List<Device> devices, Map<String, String> problems) {
        return problems.isEmpty()
                ? devices
                : devices.stream()
                        .map(device -> told(device, Optional.ofNullable(problems.get(device.id()))))
                        .toList();
    }

    /** The next one. Its number is higher only if the kubelet is to know something else than before. */
    Stock next(
            List<Device> newest,
            int newShares,
            List<Integer> newNumaNodes,
            Map<String, Equipment> newEquipment,
            Map<String, String> newProblems) {
        List<Device> now = told(newest, newProblems);
        boolean isNews = number == 0
                || newShares != shares
                || !newNumaNodes.equals(numaNodes)
                || !Difference.of(devices, now).isEmpty();
        return new Stock(isNews ? number + 1 : number, now, newShares, newNumaNodes, newEquipment, newProblems);
    }

    /**
     * Only the bad news of these devices: without those that are gone, and none in better health than before. There is no
     * index of all devices here, since 4,096 of them would make bad news wait.
     */
    Stock withBadNews(List<Device> newest) {
        Difference<Device> change = Difference.of(devices, newest);
        Map<String, Device> is = new HashMap<>();
        change.added().forEach(device -> is.put(device.id(), device));
        List<Device> worse = change.removed().stream()
                .flatMap(before -> Stream.ofNullable(is.get(before.id()))
                        .map(now -> told(now, before.health().problem())))
                .toList();
        if (worse.equals(change.removed())) {
            return this;
        }
        List<Device> now = new ArrayList<>(change.head());
        now.addAll(worse);
        now.addAll(change.tail());
        return new Stock(number + 1, now, shares, numaNodes, equipment, problems);
    }

    /** The same, as if it were news. */
    Stock again() {
        return new Stock(number + 1, devices, shares, numaNodes, equipment, problems);
    }

    /** The same with a problem of one device. */
    Stock withProblem(String id, String problem) {
        if (problem.equals(problems.get(id))) {
            return this;
        }
        Map<String, String> more = new TreeMap<>(problems);
        more.put(id, problem);
        return new Stock(number + 1, told(devices, more), shares, numaNodes, equipment, more);
    }

    /** What a device brings that was in order when it was looked at last. */
    Optional<Equipment> sound(String id) {
        return problems.containsKey(id) ? Optional.empty() : Optional.ofNullable(equipment.get(id));
    }

    /** The IDs of devices that the kubelet knows. */
    Stream<String> ids() {
        return devices.stream().map(Device::id);
    }
}
