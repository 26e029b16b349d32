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

    HolderLog(KubeletPods pods) {
        this.pods = pods;
    }

    /**
     * Logs what has changed. A pod without a name is logged once the kubelet has answered, by its UID if need be.
     *
     * @param held what containers hold of edgeplug's resources now
     */
    void follow(Stream<Holding> held) {
        Set<Holding> now = held.collect(Collectors.toSet());
        logged.entrySet().removeIf(entry -> {
            boolean isReleased = !now.contains(entry.getKey());
            if (isReleased) {
                log(entry.getKey(), "released by " + entry.getValue());
            }
            return isReleased;
        });
        now.stream().filter(holding -> !logged.containsKey(holding)).forEach(this::begin);
    }

    private void begin(Holding holding) {
        Optional<Holder> name = pods.name(holding);
        if (name.isEmpty() && !pods.wasAskedAbout(holding)) {
            return;
        }
        String holder = name.map(Holder::toString).orElse("pod " + holding.pod() + " (" + holding.container() + ")");
        logged.put(holding, holder);
        log(holding, "held by " + holder);
    }

    private static void log(Holding holding, String text) {
        LOG.log(Level.INFO, holding.id() + ": " + text, new Object[] {
            Journal.device(holding.id()), Journal.resource(holding.resource())
        });
    }
}
