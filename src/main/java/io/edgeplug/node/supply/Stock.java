package io.edgeplug.node.supply;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.system.flow.Difference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One resource at one time: its devices, what each brings into a container, and why a device cannot be handed over.
 *
 * @param number grows with each stock that the kubelet should see
 * @param devices with the health for the kubelet
 * @param shares of each device for the kubelet
 * @param numaNodes of the node
 * @param equipment by ID, what each device brings, with nodes and files that were checked
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

    /** The device with the health for the kubelet: its own, unless there is another problem. */
    static Device told(Device device, @Nullable String problem) {
        return problem != null && device.health().isHealthy() ? device.withHealth(Health.unhealthy(problem)) : device;
    }

    private static List<Device> told(List<Device> devices, Map<String, String> problems) {
        return problems.isEmpty()
                ? devices
                : devices.stream()
                        .map(device -> told(device, problems.get(device.id())))
                        .toList();
    }

    /** The next stock. Its number grows only if the kubelet should see something else. */
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
     * This stock with only the bad news of these devices: without those that are gone, and with none in better health.
     * It makes no index of all devices, because with 4,096 of them bad news would have to wait.
     */
    Stock withBadNews(List<Device> newest) {
        Difference<Device> change = Difference.of(devices, newest);
        Map<String, Device> is = new HashMap<>();
        change.added().forEach(device -> is.put(device.id(), device));
        List<Device> worse = change.removed().stream()
                .flatMap(before -> Stream.ofNullable(is.get(before.id()))
                        .map(now -> told(now, before.health().problem().orElse(null))))
                .toList();
        if (worse.equals(change.removed())) {
            return this;
        }
        List<Device> now = new ArrayList<>(change.head());
        now.addAll(worse);
        now.addAll(change.tail());
        return new Stock(number + 1, now, shares, numaNodes, equipment, problems);
    }

    Stock again() {
        return new Stock(number + 1, devices, shares, numaNodes, equipment, problems);
    }

    /** The same stock with a problem of one device. */
    Stock withProblem(String id, String problem) {
        if (problem.equals(problems.get(id))) {
            return this;
        }
        Map<String, String> more = new TreeMap<>(problems);
        more.put(id, problem);
        return new Stock(number + 1, told(devices, more), shares, numaNodes, equipment, more);
    }

    /** What a device brings, if it was in order at the last look. */
    Optional<Equipment> sound(String id) {
        return problems.containsKey(id) ? Optional.empty() : Optional.ofNullable(equipment.get(id));
    }
}
