package io.edgeplug.inventory;

import io.edgeplug.device.Health;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.ResourceName;
import io.edgeplug.flow.Difference;
import io.edgeplug.inventory.Inventory.Item;
import io.edgeplug.linux.Journal;
import io.edgeplug.linux.LogLimit;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Logs the difference between two inventories, with a line for each device of a resource. Lines about files are
 * limited.
 */
final class ChangeLog {

    /** People plug hardware by hand, but a user who may write to a directory can make any number of files. */
    private static final int MAX_OF_FILES = 100;

    private final LogLimit files = new LogLimit(MAX_OF_FILES, Duration.ofMinutes(1));
    private final Logger log;

    ChangeLog(Logger log) {
        this.log = log;
    }

    void tell(Difference<Item> change) {
        Map<String, Item> was = ofResources(change.removed());
        Map<String, Item> is = ofResources(change.added());
        is.forEach((id, item) -> {
            Optional<Item> earlier = Optional.ofNullable(was.get(id));
            if (!earlier.equals(Optional.of(item))) {
                tell(earlier, item);
            }
        });
        was.forEach((id, item) -> {
            if (!is.containsKey(id)) {
                item.resource().ifPresent(resource -> info(item, resource, "gone from " + resource));
            }
        });
    }

    /** The devices that a class takes, by ID and face, in their order. */
    private static Map<String, Item> ofResources(List<Item> items) {
        Map<String, Item> byId = new LinkedHashMap<>();
        items.stream()
                .filter(item -> item.resource().isPresent())
                .forEach(item ->
                        byId.put(item.isFace() ? item.face() : item.device().id(), item));
        return byId;
    }

    private void tell(Optional<Item> before, Item after) {
        Optional<ResourceName> was = before.flatMap(Item::resource);
        Optional<ResourceName> is = after.resource();
        if (!was.equals(is)) {
            was.ifPresent(resource -> info(after, resource, "gone from " + resource));
            is.ifPresent(resource -> info(after, resource, "added to " + resource + state(after)));
        } else if (!before.map(item -> item.device().health())
                .equals(Optional.of(after.device().health()))) {
            is.ifPresent(resource -> tellHealth(before.orElse(after).device().health(), after, resource));
        }
    }

    /** Devices that are withheld are logged elsewhere, with their holder and their scrub. */
    private void tellHealth(Health before, Item after, ResourceName resource) {
        Health health = after.device().health();
        if (health.problem().isPresent()) {
            tell(
                    health.isWithheld() ? Level.FINE : Level.WARNING,
                    after,
                    resource,
                    (health.isWithheld() ? "not offered as " + resource + ": " : "unhealthy: ")
                            + health.problem().orElseThrow());
        } else if (before.isWithheld()) {
            tell(Level.FINE, after, resource, "offered as " + resource + " again");
        } else {
            info(after, resource, "healthy again");
        }
    }

    private void info(Item item, ResourceName resource, String what) {
        tell(Level.INFO, item, resource, what);
    }

    private void tell(Level level, Item item, ResourceName resource, String what) {
        String id = item.device().id();
        String line = id + ": " + what;
        Optional<String> allowed = item.device() instanceof PathDevice ? files.line(line) : Optional.of(line);
        allowed.ifPresent(text -> log.log(level, text, new Object[] {Journal.device(id), Journal.resource(resource)}));
    }

    private static String state(Item item) {
        Health health = item.device().health();
        return health.problem()
                .map(problem -> (health.isWithheld() ? ", not offered: " : ", unhealthy: ") + problem)
                .orElse("");
    }
}
