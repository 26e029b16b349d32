package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Device;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.node.inventory.ScanRequests.Span;
import io.edgeplug.node.scan.Readiness;
import io.edgeplug.system.flow.Difference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Holds back good news of a device until nothing has happened to it for a while. Bad news passes at once.
 *
 * <p>A device that appears gets its driver, its interfaces and its nodes one after the other. A container must not get
 * it halfway, and the kubelet must not get a list for each step. One thread at a time; times are
 * {@link System#nanoTime}.
 */
final class Settling {

    /** How long a device may be held back because of its uevents, or because it is not complete. */
    private static final long LONGEST = Duration.ofSeconds(2).toNanos();

    /** How many quiet times a device may wait for others, because something always happens on a node. */
    private static final int TOGETHER = 4;

    private volatile long quiet;

    private final Map<Place, Span> unsettled = new HashMap<>();

    /**
     * Good news waits until a device has been quiet for that time. Devices that settle within that time of each other
     * settle together, as long as none waits too long. So a burst is one change of the list.
     */
    Settling(Duration quiet) {
        this.quiet = quiet.toNanos();
    }

    /** Sets how long devices wait from now on; any thread. */
    void use(Duration newQuiet) {
        quiet = newQuiet.toNanos();
    }

    /** Notes that something has happened at a place. */
    void note(Place place, Span when) {
        unsettled.merge(place, when, Span::and);
    }

    /** The time until the next devices settle, and those that settle soon after, in nanoseconds. */
    long left(long now) {
        List<Span> spans = unsettled.values().stream()
                .sorted(Comparator.comparingLong(span -> end(span) - now))
                .toList();
        if (spans.isEmpty()) {
            return Long.MAX_VALUE;
        }
        long next = end(spans.getFirst());
        long latest = Math.min(next + TOGETHER * quiet, spans.getFirst().first() + LONGEST);
        for (Span span : spans) {
            if (end(span) - next > quiet || end(span) - latest > 0) {
                break;
            }
            next = end(span);
        }
        return next - now;
    }

    /**
     * The places that have settled now. Good news of them is published from now on.
     *
     * @param at the devices at a place
     */
    Set<Place> settle(Function<Place, List<Device>> at, long now) {
        if (unsettled.isEmpty() || left(now) > 0) {
            return Set.of();
        }
        Set<Place> settled = new HashSet<>();
        unsettled.replaceAll((place, span) -> {
            if (end(span) - now > 0) {
                return span;
            }
            boolean mayWait = span.first() + LONGEST - now > 0;
            if (mayWait && !at.apply(place).stream().allMatch(Readiness::isReady)) {
                return new Span(span.first(), now);
            }
            settled.add(place);
            return span;
        });
        unsettled.keySet().removeAll(settled);
        return settled;
    }

    /** The part of a change that may be published now: everything but good news of devices that have not settled. */
    Difference<Item> pass(Difference<Item> change, Set<Place> settled, long now) {
        Map<String, Item> published = new HashMap<>();
        change.removed().forEach(item -> {
            published.put(item.key(), item);
            published.putIfAbsent(item.device().id(), item);
        });
        List<Item> passing = new ArrayList<>();
        for (Item item : change.added()) {
            Item before = published.getOrDefault(
                    item.key(), published.get(item.device().id()));
            Place place = Place.of(item.device());
            if (before != null && before.equals(item)) {
                passing.add(before);
            } else if (!isBetter(before, item) || settled.contains(place)) {
                passing.add(item);
            } else {
                unsettled.putIfAbsent(place, new Span(now, now));
                if (before != null) {
                    passing.add(worse(before, item));
                }
            }
        }
        return change.withAdded(passing);
    }

    private static boolean isBetter(@Nullable Item was, Item is) {
        if (is.deviceClass().isEmpty()) {
            return false;
        }
        return was == null || !was.resource().equals(is.resource()) || (!isHealthy(was) && isHealthy(is));
    }

    private static boolean isHealthy(Item item) {
        return item.device().health().isHealthy();
    }

    /** A device leaves its resource at once, and stays broken until it has settled. */
    private static Item worse(Item was, Item is) {
        return was.resource().equals(is.resource())
                ? new Item(is.device().withHealth(was.device().health()), is.deviceClass())
                : new Item(is.device(), Optional.empty());
    }

    private long end(Span span) {
        return Math.min(span.last() + quiet, span.first() + LONGEST);
    }
}
