package io.edgeplug.kubelet;

import io.edgeplug.device.Affinity;
import io.edgeplug.device.Device;
import io.edgeplug.device.Preference;
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
 * Chooses IDs for a container: of different devices as long as there are any, for a second share of one gives it
 * nothing; then of those with the most shares left, so that all are loaded alike; then of devices near each other.
 *
 * <p>Where devices are not shared, only their nearness is left to choose by.
 */
final class ShareChoice {

    private static final Comparator<Candidate> BETTER = Comparator.comparingInt(Candidate::taken)
            .thenComparing(Comparator.comparingInt(Candidate::left).reversed());

    private final Preference preference;
    private final Map<String, Candidate> candidates = new LinkedHashMap<>();
    private final Set<String> chosen;

    private ShareChoice(Preference preference, Collection<String> must) {
        this.preference = preference;
        this.chosen = new LinkedHashSet<>(must);
    }

    /**
     * Chooses {@code size} IDs, or as many as are available and known.
     *
     * @param devices of each ID that is known
     * @param must IDs that come first, even if they are unknown or more than that
     */
    static Set<String> choose(
            Map<String, Device> devices,
            Collection<String> available,
            Collection<String> must,
            int size,
            Preference preference) {
        ShareChoice choice = new ShareChoice(preference, must);
        choice.offer(devices, choice.chosen, candidate -> candidate.taken);
        Set<String> free = new LinkedHashSet<>(available);
        free.removeAll(choice.chosen);
        choice.offer(devices, free, candidate -> candidate.free);
        choice.fill(size);
        return choice.chosen;
    }

    private void offer(
            Map<String, Device> devices, Collection<String> ids, Function<Candidate, Collection<String>> side) {
        for (String id : ids) {
            Device device = devices.get(id);
            if (device != null) {
                side.apply(candidates.computeIfAbsent(device.id(), any -> new Candidate(device)))
                        .add(id);
            }
        }
    }

    /** Takes some of the best candidates in each turn, until there are enough or none is left. */
    private void fill(int size) {
        List<Candidate> best = best();
        while (chosen.size() < size && !best.isEmpty()) {
            int needed = Math.min(size - chosen.size(), best.size());
            Set<Candidate> choosable = new LinkedHashSet<>(best);
            Set<Candidate> near = new LinkedHashSet<>(candidates.values());
            near.removeIf(candidate -> candidate.taken() == 0 || choosable.contains(candidate));
            Affinity.choose(devices(choosable), devices(near), near.size() + needed, preference).stream()
                    .skip(near.size())
                    .flatMap(device -> Stream.ofNullable(candidates.get(device.id())))
                    .forEach(candidate -> chosen.add(candidate.take()));
            best = best();
        }
    }

    private static List<Device> devices(Collection<Candidate> candidates) {
        return candidates.stream().map(candidate -> candidate.device).toList();
    }

    /** All that are as good as the best is. */
    private List<Candidate> best() {
        List<Candidate> best = new ArrayList<>();
        for (Candidate candidate : candidates.values()) {
            if (!candidate.free.isEmpty()) {
                int order = best.isEmpty() ? 0 : BETTER.compare(candidate, best.getFirst());
                if (order < 0) {
                    best.clear();
                }
                if (order <= 0) {
                    best.add(candidate);
                }
            }
        }
        return best;
    }

    /** A device, the IDs of it that can be had, and those that the container has. */
    private static final class Candidate {

        private final Device device;
        private final Deque<String> free = new ArrayDeque<>();
        private final List<String> taken = new ArrayList<>();

        Candidate(Device device) {
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
