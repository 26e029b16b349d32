package io.edgeplug.inventory;

import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.Inventory.Item;
import io.edgeplug.linux.Journal;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Logs what differs between two inventories, a line for each device of a resource. */
final class ChangeLog {

    private final Logger log;

    ChangeLog(Logger log) {
        this.log = log;
    }

    void tell(Inventory before, Inventory after) {
        Difference<Item> change = Difference.of(before.items(), after.items());
        for (Item item : change.is()) {
            Optional<Item> was =
                    before.item(item.device().id()).filter(one -> one.resource().isPresent());
            if (item.resource().isPresent() && !was.equals(Optional.of(item))) {
                tell(was, item);
            }
        }
        for (Item item : change.was()) {
            boolean stays = after.item(item.device().id())
                    .filter(one -> one.resource().isPresent())
                    .isPresent();
            if (!stays) {
                item.resource().ifPresent(resource -> info(item, resource, "gone from " + resource));
            }
        }
    }

    private void tell(Optional<Item> before, Item after) {
        Optional<ResourceName> was = before.flatMap(Item::resource);
        Optional<ResourceName> is = after.resource();
        if (!was.equals(is)) {
            was.ifPresent(resource -> info(after, resource, "gone from " + resource));
            is.ifPresent(resource -> info(after, resource, "added to " + resource + state(after)));
        } else if (!before.map(item -> item.device().health())
                .equals(Optional.of(after.device().health()))) {
            after.device()
                    .health()
                    .problem()
                    .ifPresentOrElse(
                            problem -> is.ifPresent(
                                    resource -> tell(Level.WARNING, after, resource, "unhealthy: " + problem)),
                            () -> is.ifPresent(resource -> info(after, resource, "healthy again")));
        }
    }

    private void info(Item item, ResourceName resource, String what) {
        tell(Level.INFO, item, resource, what);
    }

    private void tell(Level level, Item item, ResourceName resource, String what) {
        String id = item.device().id();
        log.log(level, id + ": " + what, new Object[] {Journal.device(id), Journal.resource(resource)});
    }

    private static String state(Item item) {
        return item.device()
                .health()
                .problem()
                .map(problem -> ", unhealthy: " + problem)
                .orElse("");
    }
}
