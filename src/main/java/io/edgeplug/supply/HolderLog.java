package io.edgeplug.supply;

import io.edgeplug.linux.Journal;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.pods.KubeletPods;
import io.edgeplug.pods.PodNames.Holder;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Says once in the log which container holds a device, and once that the device is released. One thread at a time. */
final class HolderLog {

    private static final Logger LOG = Logger.getLogger(HolderLog.class.getName());

    private final KubeletPods pods;

    /** The holder of each device as it was logged. */
    private final Map<Holding, String> logged = new HashMap<>();

    /** Those without a name yet, and how often the kubelet had answered when they were seen first. */
    private final Map<Holding, Long> unnamed = new HashMap<>();

    HolderLog(KubeletPods pods) {
        this.pods = pods;
    }

    /**
     * Logs what has changed. A pod without a name is logged once the kubelet has answered, by its UID if need be.
     *
     * @param held what containers hold of edgeplug's resources now
     * @return whether the kubelet should be asked for names
     */
    boolean follow(Stream<Holding> held) {
        Set<Holding> now = held.collect(Collectors.toSet());
        unnamed.keySet().retainAll(now);
        logged.entrySet().removeIf(entry -> {
            boolean isReleased = !now.contains(entry.getKey());
            if (isReleased) {
                log(entry.getKey(), "released by " + entry.getValue());
            }
            return isReleased;
        });
        now.stream().filter(holding -> !logged.containsKey(holding)).forEach(this::begin);
        return !unnamed.isEmpty();
    }

    private void begin(Holding holding) {
        Optional<Holder> name = pods.name(holding);
        Long firstSeen = unnamed.computeIfAbsent(holding, any -> pods.answers());
        if (name.isPresent() || pods.answers() > firstSeen) {
            String holder =
                    name.map(Holder::toString).orElse("pod " + holding.pod() + " (" + holding.container() + ")");
            unnamed.remove(holding);
            logged.put(holding, holder);
            log(holding, "held by " + holder);
        }
    }

    private static void log(Holding holding, String text) {
        LOG.log(Level.INFO, holding.id() + ": " + text, new Object[] {
            Journal.device(holding.id()), Journal.resource(holding.resource())
        });
    }
}
