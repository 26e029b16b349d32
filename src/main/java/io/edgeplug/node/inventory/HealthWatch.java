package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.HealthCheck;
import io.edgeplug.model.rules.HealthRule;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.node.scan.ChangeNote;
import io.edgeplug.node.scan.HealthScan;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Judges devices by the rules of their classes. It remembers the past that rules need: since when a problem lasts or is
 * over, and how many errors there were.
 *
 * <p>One thread at a time; times are {@link System#nanoTime}.
 */
final class HealthWatch {

    /** How often states without uevents are checked: links, ports, error counts. */
    private static final long EVERY = Duration.ofSeconds(2).toNanos();

    private final ScanThread thread;
    private final Sysfs sysfs;
    private final HealthScan scan;
    private final HealthCommands commands;
    private final ScanGate gate;
    private boolean asks;
    private final Map<String, State> states = new HashMap<>();
    private long nextLook = System.nanoTime();
    private long nextChange = nextLook;

    HealthWatch(ScanThread thread, List<DeviceClass> classes, HealthCommands commands, ScanGate gate) {
        this.thread = thread;
        this.sysfs = thread.sysfs();
        this.scan = new HealthScan(sysfs);
        this.gate = gate;
        this.commands = commands;
        this.asks = asks(classes);
    }

    /** Judges by the rules of these classes from now on. */
    void use(List<DeviceClass> classes) {
        asks = asks(classes);
        nextLook = System.nanoTime();
    }

    private static boolean asks(List<DeviceClass> classes) {
        return classes.stream().anyMatch(one -> one.health().asks());
    }

    /**
     * The known state of a device.
     *
     * @param wrong the problem now
     * @param since when {@code wrong} last appeared or disappeared
     * @param told the problem that the kubelet knows
     */
    private record State(Optional<String> wrong, long since, Optional<String> told, OptionalLong fatalErrors) {}

    /** The time until the next check or report is due without a uevent, in nanoseconds. */
    long left(long now) {
        return asks ? Math.min(nextLook, nextChange) - now : Long.MAX_VALUE;
    }

    /**
     * The same items with the health by their classes. Checks devices that are news at once, and all devices when it is
     * time.
     */
    List<Item> judge(List<Item> items, Predicate<Device> isNews, long now) {
        if (!asks) {
            return items;
        }
        boolean all = nextLook - now <= 0;
        List<Item> judged = thread.run(() -> judge(items, all, isNews, now));
        nextLook = all ? now + EVERY : nextLook;
        return judged;
    }

    private List<Item> judge(List<Item> items, boolean all, Predicate<Device> isNews, long now) {
        nextChange = now + EVERY;
        List<Item> judged = new ArrayList<>();
        Set<String> ruled = new HashSet<>();
        Set<String> faces = new HashSet<>();
        for (Item item : items) {
            Optional<HealthRule> rule =
                    item.deviceClass().map(DeviceClass::health).filter(HealthRule::asks);
            rule.ifPresent(one -> {
                ruled.add(item.device().id());
                faces.add(item.key());
            });
            judged.add(rule.map(one -> judge(item, one, isDue(item.device(), all, isNews), now))
                    .orElse(item));
        }
        states.keySet().retainAll(faces);
        commands.keep(ruled);
        return judged;
    }

    /** A device is not checked during its preparation, because a reset takes links down and nodes away. */
    private boolean isDue(Device device, boolean all, Predicate<Device> isNews) {
        return (all || isNews.test(device)) && !gate.isClosed(device);
    }

    private Item judge(Item item, HealthRule rule, boolean look, long now) {
        Device device = item.device();
        Optional<String> broken = device.health().problem();
        State before = states.get(item.key());
        State seen = look || before == null ? look(device, rule, before, now) : before;
        if (before != null
                && before.wrong().isEmpty()
                && seen.wrong().isPresent()
                && ChangeNote.concerns(sysfs, device)) {
            seen = before;
        }
        if (broken.isPresent()) {
            // This is reported at once, whatever the rule says of flapping. The recovery is not.
            states.put(item.key(), new State(seen.wrong(), now, broken, seen.fatalErrors()));
            return item;
        }
        State after = tell(seen, rule, now);
        states.put(item.key(), after);
        return after.told()
                .map(problem -> new Item(device.withHealth(Health.unhealthy(problem)), item.deviceClass()))
                .orElse(item);
    }

    private State look(Device device, HealthRule rule, @Nullable State before, long now) {
        Optional<String> wrong;
        OptionalLong errors = OptionalLong.empty();
        try {
            String place = Place.of(device).name();
            if (rule.checks().contains(HealthCheck.AER_FATAL)) {
                errors = thread.look(place, () -> scan.fatalErrors(device));
            }
            wrong = thread.look(place, () -> scan.problem(device, rule.checks()));
        } catch (IOException e) {
            wrong = Optional.of(String.valueOf(e.getMessage()));
        }
        wrong = wrong.or(() -> device.health().problem().isPresent()
                ? commands.said(device.id(), rule)
                : commands.problem(device.id(), rule, now));
        long count = errors.orElse(0);
        if (wrong.isEmpty() && before != null && count > before.fatalErrors().orElse(count)) {
            wrong = Optional.of("has had fatal PCI Express errors: " + count);
        }
        if (before == null) {
            return new State(wrong, now, Optional.empty(), errors);
        }
        boolean isTurn = before.wrong().isPresent() != wrong.isPresent();
        return new State(wrong, isTurn ? now : before.since(), before.told(), errors);
    }

    private State tell(State seen, HealthRule rule, long now) {
        boolean isTold = seen.wrong().isPresent() == seen.told().isPresent();
        long end = seen.since() + (seen.wrong().isPresent() ? rule.unhealthyFor() : rule.healthyFor()).toNanos();
        if (!isTold && end - now > 0) {
            nextChange = Math.min(nextChange, end);
            return seen;
        }
        return new State(seen.wrong(), seen.since(), seen.wrong(), seen.fatalErrors());
    }
}
