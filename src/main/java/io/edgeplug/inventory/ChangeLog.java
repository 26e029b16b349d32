package io.edgeplug.inventory;

import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.Inventory.Item;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Logger;

/** Logs what differs between two inventories, a line for each device of a resource. */
final class ChangeLog {

    private final Logger log;

    ChangeLog(Logger log) {
        this.log = log;
    }

    void tell(Inventory before, Inventory after) {
        Map<String, Item> gone = new HashMap<>();
        before.items().stream()
                .filter(item -> item.resource().isPresent())
                .forEach(item -> gone.put(item.device().id(), item));
        for (Item item : after.items()) {
            if (item.resource().isPresent()) {
                tell(Optional.ofNullable(gone.remove(item.device().id())), item);
            }
        }
        gone.values()
                .forEach(item ->
                        item.resource().ifPresent(resource -> log.info(name(item) + ": gone from " + resource)));
    }

    private void tell(Optional<Item> before, Item after) {
        Optional<ResourceName> was = before.flatMap(Item::resource);
        Optional<ResourceName> is = after.resource();
        if (!was.equals(is)) {
            was.ifPresent(resource -> log.info(name(after) + ": gone from " + resource));
            is.ifPresent(resource -> log.info(name(after) + ": added to " + resource + state(after)));
        } else if (!before.map(item -> item.device().health())
                .equals(Optional.of(after.device().health()))) {
            after.device()
                    .health()
                    .problem()
                    .ifPresentOrElse(
                            problem -> log.warning(name(after) + ": unhealthy: " + problem),
                            () -> log.info(name(after) + ": healthy again"));
        }
    }

    private static String name(Item item) {
        return item.device().id();
    }

    private static String state(Item item) {
        return item.device()
                .health()
                .problem()
                .map(problem -> ", unhealthy: " + problem)
                .orElse("");
    }
}
