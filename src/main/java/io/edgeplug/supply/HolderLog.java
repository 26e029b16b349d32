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

/**
 * Logs once which container holds a device, and once that the device is released. The holder is logged again if the
 * name of its pod becomes known later. One thread at a time.
 */
final class HolderLog {

    private static final Logger LOG = Logger.getLogger(HolderLog.class.getName());

    private final KubeletPods pods;

    private final Map<Holding, Logged> logged = new HashMap<>();

    /** The holder of a device as it was logged: the name of its pod, or its UID. */
    private record Logged(String holder, boolean isNamed) {}

    HolderLog(KubeletPods pods) {
        this.pods = pods;
    }

    /**
     * Logs the changes. A pod without a name is logged once the kubelet has answered, by its UID if necessary.
     *
     * @param held the devices of edgeplug's resources that containers hold now
     */
    void follow(Stream<Holding> held) {
        Set<Holding> now = held.collect(Collectors.toSet());
        logged.entrySet().removeIf(entry -> {
            boolean isReleased = !now.contains(entry.getKey());
            if (isReleased) {
                log(entry.getKey(), "released by " + entry.getValue().holder());
            }
            return isReleased;
        });
        now.forEach(this::tell);
    }

    private void tell(Holding holding) {
        Optional<Logged> before = Optional.ofNullable(logged.get(holding));
        if (before.filter(Logged::isNamed).isPresent()) {
            return;
        }
        Optional<Holder> name = pods.name(holding);
        if (name.isPresent()) {
            String holder = name.orElseThrow().toString();
            String uid =
                    before.map(told -> ", which was logged as " + told.holder()).orElse("");
            tell(holding, new Logged(holder, true), uid);
        } else if (before.isEmpty() && pods.wasAskedAbout(holding)) {
            tell(holding, new Logged("pod " + holding.pod() + " (" + holding.container() + ")", false), "");
        }
    }

    private void tell(Holding holding, Logged now, String more) {
        logged.put(holding, now);
        log(holding, "held by " + now.holder() + more);
    }

    private static void log(Holding holding, String text) {
        LOG.log(Level.INFO, holding.id() + ": " + text, new Object[] {
            Journal.device(holding.id()), Journal.resource(holding.resource())
        });
    }
}
