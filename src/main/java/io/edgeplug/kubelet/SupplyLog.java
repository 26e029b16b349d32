package io.edgeplug.kubelet;

import io.edgeplug.device.ResourceName;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.logging.Logger;

/** Logs why devices of a resource cannot be handed over, a line for each reason, when that changes. */
final class SupplyLog {

    private static final Logger LOG = Logger.getLogger(Supply.class.getName());

    private final ResourceName resource;
    private Map<String, TreeSet<String>> told = Map.of();

    SupplyLog(ResourceName resource) {
        this.resource = resource;
    }

    /** Logs what of these problems, by device, was not so before. */
    void tell(Map<String, String> problems) {
        Map<String, TreeSet<String>> byReason = new TreeMap<>();
        problems.forEach((id, reason) ->
                byReason.computeIfAbsent(reason, none -> new TreeSet<>()).add(id));
        byReason.forEach((reason, ids) -> {
            if (!ids.equals(told.get(reason))) {
                String more = ids.size() > 1 ? " and " + (ids.size() - 1) + " more" : "";
                LOG.warning(() -> resource + ": " + ids.first() + more + ": cannot be handed over: " + reason);
            }
        });
        if (byReason.isEmpty() && !told.isEmpty()) {
            LOG.info(() -> resource + ": all its devices can be handed over again");
        }
        told = byReason;
    }
}
