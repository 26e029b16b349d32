package io.edgeplug.node.inventory;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.custody.Verdict;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Inventory.Item;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What the lists say of devices because of their users and of what is done to them. */
record Judgement(Custodian custodian) {

    /**
     * These items, in which each held device belongs to the resource as which it is held, whatever can be seen of it
     * now: its interface and its RDMA device may be in the pod's namespaces, and a reload may have changed the classes.
     */
    List<Item> kept(List<DeviceClass> classes, List<Item> items) {
        Map<String, String> held = new HashMap<>();
        for (Custody one : custodian.all()) {
            one.holder().ifPresent(hold -> held.put(one.id(), hold.resource()));
        }
        Set<String> moved = new HashSet<>(held.keySet());
        items.forEach(item -> item.resource()
                .filter(name -> name.toString().equals(held.get(item.device().id())))
                .ifPresent(any -> moved.remove(item.device().id())));
        if (moved.isEmpty()) {
            return items;
        }
        List<Item> kept = new ArrayList<>(items.size());
        for (Item item : items) {
            String id = item.device().id();
            Optional<DeviceClass> own = moved.remove(id)
                    ? classes.stream()
                            .filter(one -> one.resource().toString().equals(held.get(id)))
                            .findFirst()
                    : Optional.empty();
            own.ifPresent(one -> kept.add(new Item(item.device(), own)));
            if (own.isEmpty() || item.isFace()) {
                kept.add(item);
            }
        }
        return kept;
    }

    /** These items, with those as unhealthy or withheld that nobody new can have now. */
    List<Item> judged(List<Item> items) {
        if (custodian.areAllFree()) {
            return items;
        }
        OtherNodes nodes = new OtherNodes(custodian.nodes(), items);
        List<Item> judged = new ArrayList<>(items.size());
        boolean isAny = false;
        for (Item item : items) {
            // A broken device already has its own problem.
            Optional<Health> health = item.device().health().isHealthy()
                    ? nodes.problem(item.device())
                            .map(Health::another)
                            .or(() -> item.face().flatMap(custodian::listed).map(Judgement::health))
                    : Optional.empty();
            isAny |= health.isPresent();
            judged.add(health.map(one -> new Item(item.device().withHealth(one), item.deviceClass()))
                    .orElse(item));
        }
        return isAny ? judged : items;
    }

    private static Health health(Verdict verdict) {
        return verdict.isWithheld() ? Health.withheld(verdict.text()) : Health.mateInUse(verdict.text());
    }

    /**
     * The devices that were found, with those as unhealthy whose preparation failed or was left out. After them come
     * those that somebody has and that are gone.
     */
    List<Device> known(List<Device> found) {
        Map<String, Custody> records = new LinkedHashMap<>();
        custodian.all().forEach(one -> records.put(one.id(), one));
        if (records.isEmpty()) {
            return found;
        }
        // Only a few of many devices have a record.
        Map<String, Custody> missing = new LinkedHashMap<>(records);
        List<Device> known = new ArrayList<>(found.size());
        for (Device device : found) {
            Custody custody = records.get(device.id());
            missing.remove(device.id());
            String problem = custody == null ? null : custody.problem().orElse(null);
            known.add(problem == null ? device : device.withHealth(Health.startFailed(problem)));
        }
        missing.values().forEach(one -> one.device().ifPresent(gone -> known.add(gone.withHealth(Health.GONE))));
        return known;
    }
}
