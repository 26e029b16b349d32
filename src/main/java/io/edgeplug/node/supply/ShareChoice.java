package io.edgeplug.node.supply;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.Preference;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Chooses shares for a container. It takes different devices as long as there are any, because a second share of one
 * gives it nothing. Then it takes devices with the most free shares, so that all carry the same load. Then
 * {@link Affinity} decides.
 */
final class ShareChoice {

    private static final Comparator<SharedDevice> BETTER = Comparator.comparingInt(SharedDevice::taken)
            .thenComparing(Comparator.comparingInt(SharedDevice::left).reversed());

    private final Preference preference;
    private final Map<String, SharedDevice> all = new LinkedHashMap<>();
    private final Set<String> chosen;

    private ShareChoice(Preference preference, Collection<String> must) {
        this.preference = preference;
        this.chosen = new LinkedHashSet<>(must);
    }

    /**
     * Chooses {@code size} IDs, or all that are available and known if there are fewer.
     *
     * @param devices by ID, of each known ID
     * @param must IDs that come first, even if they are unknown or more than that
     */
    static Set<String> choose(
            Map<String, Device> devices,
            Collection<String> available,
            Collection<String> must,
            int size,
            Preference preference) {
        ShareChoice choice = new ShareChoice(preference, must);
        choice.offer(devices, choice.chosen, one -> one.taken);
        Set<String> free = new LinkedHashSet<>(available);
        free.removeAll(choice.chosen);
        choice.offer(devices, free, one -> one.free);
        choice.fill(size);
        return choice.chosen;
    }

    private void offer(
            Map<String, Device> devices, Collection<String> ids, Function<SharedDevice, Collection<String>> side) {
        for (String id : ids) {
            Device device = devices.get(id);
            if (device != null) {
                side.apply(all.computeIfAbsent(device.id(), any -> new SharedDevice(device)))
                        .add(id);
            }
        }
    }

    /** Takes some of the best devices in each turn, until there are enough or none is left. */
    private void fill(int size) {
        List<SharedDevice> best = best();
        while (chosen.size() < size && !best.isEmpty()) {
            int needed = Math.min(size - chosen.size(), best.size());
            Set<SharedDevice> choosable = new LinkedHashSet<>(best);
            Set<SharedDevice> near = new LinkedHashSet<>(all.values());
            near.removeIf(one -> one.taken() == 0 || choosable.contains(one));
            Affinity.choose(devices(choosable), devices(near), near.size() + needed, preference).stream()
                    .skip(near.size())
                    .flatMap(device -> Stream.ofNullable(all.get(device.id())))
                    .forEach(one -> chosen.add(one.take()));
            best = best();
        }
    }

    private static List<Device> devices(Collection<SharedDevice> all) {
        return all.stream().map(one -> one.device).toList();
    }

    /** All devices that are as good as the best. */
    private List<SharedDevice> best() {
        List<SharedDevice> best = new ArrayList<>();
        for (SharedDevice one : all.values()) {
            if (!one.free.isEmpty()) {
                int order = best.isEmpty() ? 0 : BETTER.compare(one, best.getFirst());
                if (order < 0) {
                    best.clear();
                }
                if (order <= 0) {
                    best.add(one);
                }
            }
        }
        return best;
    }

    /** A device, its free IDs, and those that the container has. */
    private static final class SharedDevice {

        private final Device device;
        private final Deque<String> free = new ArrayDeque<>();
        private final List<String> taken = new ArrayList<>();

        SharedDevice(Device device) {
            this.device = device;
        }

        int taken() {
            return taken.size();
        }

        int left() {
            return free.size();
        }

        String take() {
            String id = free.remove();
            taken.add(id);
            return id;
        }
    }
}
