package io.edgeplug.node.supply;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Sharing;
import io.edgeplug.system.systemd.Journal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Logs why devices of a resource cannot be handed over, with a line for each reason, when that changes. */
final class SupplyLog {

    private static final Logger LOG = Logger.getLogger(Supply.class.getName());

    /** A user who fills a directory must not fill the log too. */
    private static final int MAX_FILES = 5;

    private final DeviceClass deviceClass;
    private final ResourceName resource;
    private Map<String, TreeSet<String>> told = Map.of();
    private List<String> toldFiles = List.of();
    private int toldShares;

    SupplyLog(DeviceClass deviceClass) {
        this.deviceClass = deviceClass;
        this.resource = deviceClass.resource();
    }

    /**
     * Logs the changes.
     *
     * @param problems by device
     * @param unread a line for each unreadable file that might have named a device of the resource
     * @param shares of each device that are listed
     */
    void tell(Map<String, String> problems, List<String> unread, int shares) {
        tell(unread);
        tell(shares);
        Map<String, TreeSet<String>> byReason = new TreeMap<>();
        problems.forEach((id, reason) ->
                byReason.computeIfAbsent(reason, none -> new TreeSet<>()).add(id));
        byReason.forEach((reason, ids) -> {
            if (!ids.equals(told.get(reason))) {
                String more = ids.size() > 1 ? " and " + (ids.size() - 1) + " more" : "";
                log(Level.WARNING, ids.first() + more + ": cannot be handed over: " + reason);
            }
        });
        if (byReason.isEmpty() && !told.isEmpty()) {
            log(Level.INFO, "all its devices can be handed over again");
        }
        told = byReason;
    }

    private void tell(int shares) {
        if (shares != toldShares && shares < deviceClass.sharing().shares()) {
            log(
                    Level.WARNING,
                    "lists %d shares of each device and not %d, because a node lists %d at most"
                            .formatted(shares, deviceClass.sharing().shares(), Sharing.MAX_LISTED));
        }
        toldShares = shares;
    }

    private void tell(List<String> unread) {
        List<String> fresh =
                unread.stream().filter(line -> !toldFiles.contains(line)).toList();
        fresh.stream().limit(MAX_FILES).forEach(line -> log(Level.WARNING, "ignored: " + line));
        if (fresh.size() > MAX_FILES) {
            log(Level.WARNING, "ignored: " + (fresh.size() - MAX_FILES) + " files more");
        }
        toldFiles = unread;
    }

    private void log(Level level, String text) {
        LOG.log(level, resource + ": " + text, Journal.resource(resource));
    }
}
