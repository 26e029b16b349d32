package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.system.flow.Difference;
import io.edgeplug.system.kernel.PlainText;
import io.edgeplug.system.systemd.Journal;
import io.edgeplug.system.systemd.LogLimit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Logs the difference between two inventories. Devices that come or go together share a line of their resource, which the
 * journal finds by each of them. Lines about files are limited.
 */
final class ChangeLog {

    /** People plug hardware by hand, but a user who may write to a directory can make any number of files. */
    private static final int MAX_OF_FILES = 100;

    /** Of a PF's 256 VFs, the first few are enough to read. */
    private static final int MAX_NAMED = 3;

    /** So many fields fit into a datagram for the journal. */
    private static final int MAX_FIELDS = 1000;

    private final LogLimit files = new LogLimit(MAX_OF_FILES, Duration.ofMinutes(1));
    private final Logger log;

    ChangeLog(Logger log) {
        this.log = log;
    }

    /** A resource that devices come to or go from. */
    private record Move(String word, ResourceName resource) {

        static Move to(ResourceName resource) {
            return new Move("added to ", resource);
        }

        static Move from(ResourceName resource) {
            return new Move("gone from ", resource);
        }

        String text() {
            return word + resource;
        }
    }

    void tell(Difference<Item> change) {
        Map<String, Item> was = ofResources(change.removed());
        Map<String, Item> is = ofResources(change.added());
        Map<Move, List<Item>> moves = new LinkedHashMap<>();
        is.forEach((id, item) -> {
            Item earlier = was.get(id);
            if (!item.equals(earlier)) {
                tell(earlier, item, moves);
            }
        });
        was.forEach((id, item) -> {
            if (!is.containsKey(id)) {
                item.resource().ifPresent(resource -> add(moves, Move.from(resource), item));
            }
        });
        moves.forEach(this::tell);
    }

    private static void add(Map<Move, List<Item>> moves, Move move, Item item) {
        moves.computeIfAbsent(move, none -> new ArrayList<>()).add(item);
    }

    private void tell(Move move, List<Item> items) {
        if (items.size() == 1) {
            info(items.getFirst(), move.resource(), move.text());
            return;
        }
        List<String> ids = items.stream().map(item -> item.device().id()).toList();
        String named = PlainText.some(ids, MAX_NAMED);
        Object[] fields = Stream.concat(
                        Stream.of(Journal.resource(move.resource())),
                        ids.stream().limit(MAX_FIELDS).map(Journal::device))
                .toArray();
        allowed(items.getFirst(), named + ": " + move.text() + ", " + ids.size() + " devices")
                .ifPresent(text -> log.log(Level.INFO, text, fields));
    }

    private Optional<String> allowed(Item item, String line) {
        return item.device() instanceof PathDevice ? files.line(line) : Optional.of(line);
    }

    /** The devices that a class takes, by ID and face, in their order. */
    private static Map<String, Item> ofResources(List<Item> items) {
        Map<String, Item> byId = new LinkedHashMap<>();
        items.stream()
                .filter(item -> item.resource().isPresent())
                .forEach(item ->
                        byId.put(item.isFace() ? item.key() : item.device().id(), item));
        return byId;
    }

    private void tell(@Nullable Item before, Item after, Map<Move, List<Item>> moves) {
        Optional<ResourceName> was = before == null ? Optional.empty() : before.resource();
        Optional<ResourceName> is = after.resource();
        if (!was.equals(is)) {
            was.ifPresent(resource -> add(moves, Move.from(resource), after));
            is.ifPresent(resource -> tellAdded(after, resource, moves));
        } else if (before != null
                && !before.device().health().equals(after.device().health())) {
            is.ifPresent(resource -> tellHealth(before.device().health(), after, resource));
        }
    }

    /** A device that is not offered has a line of its own, because of the reason. */
    private void tellAdded(Item item, ResourceName resource, Map<Move, List<Item>> moves) {
        if (item.device().health().isHealthy()) {
            add(moves, Move.to(resource), item);
        } else {
            info(item, resource, Move.to(resource).text() + state(item));
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
        allowed(item, id + ": " + what)
                .ifPresent(text -> log.log(level, text, new Object[] {Journal.device(id), Journal.resource(resource)}));
    }

    private static String state(Item item) {
        Health health = item.device().health();
        return health.problem()
                .map(problem -> (health.isWithheld() ? ", not offered: " : ", unhealthy: ") + problem)
                .orElse("");
    }
}
