package io.edgeplug.node.inventory;

import io.edgeplug.model.custody.Change;
import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Face;
import io.edgeplug.model.custody.Verdict;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.system.flow.Difference;
import io.edgeplug.system.flow.Latest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The newest inventory, from which devices are handed over. Any thread reads and hands over, one thread publishes. */
public final class Publication {

    private final Latest<Inventory> newest = new Latest<>(Inventory.NOTHING, Inventory::generation);

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    private final Custodian custodian;

    /** So a list is published with all devices that were handed over before. Changes of the two maps need it. */
    private final Lock lock = new ReentrantLock();

    /** The items by the ID of their device: one, or one for each of its faces. */
    private final Map<String, List<Item>> byId = new ConcurrentHashMap<>();

    /** How many devices each IOMMU group has that containers get as a whole. */
    private final Map<Integer, Integer> groups = new ConcurrentHashMap<>();

    Publication(Custodian custodian) {
        this.custodian = custodian;
    }

    Latest<Inventory> newest() {
        return newest;
    }

    /**
     * Runs the listener after each newer inventory, on the thread that publishes it. The listener must return at once.
     */
    public void addListener(Runnable listener) {
        listeners.add(listener);
    }

    public void removeListener(Runnable listener) {
        listeners.remove(listener);
    }

    private Inventory current() {
        return newest.get();
    }

    /**
     * Hands over devices of a resource to a container, all of them or none, in the order of their IDs. The container may
     * hold them from now on. If one disappears, it stays listed as unhealthy, because the kubelet informs a pod only about
     * devices that it knows. Never blocks for long.
     *
     * @param devices their IDs
     * @param ids the kubelet's IDs: the same, or those of shares
     * @return the devices from the newest inventory
     * @throws DeviceUnavailableException if one is missing or unhealthy
     */
    public List<Device> handOver(ResourceName resource, Set<String> devices, Set<String> ids)
            throws DeviceUnavailableException {
        lock.lock();
        try {
            Map<Face, Device> given = fit(resource, devices);
            refuse(resource, custodian.give(given, ids).orElse(null));
            return List.copyOf(given.values());
        } finally {
            lock.unlock();
        }
    }

    /**
     * The same devices, whoever has them. Needs no lock.
     *
     * @throws DeviceUnavailableException if one is missing, or unhealthy in itself
     */
    public List<Device> fitDevices(ResourceName resource, Set<String> devices) throws DeviceUnavailableException {
        return List.copyOf(fit(resource, devices).values());
    }

    /**
     * Whether the same devices would be handed over.
     *
     * @throws DeviceUnavailableException if they would not
     */
    public void refuseUsed(ResourceName resource, Set<String> devices) throws DeviceUnavailableException {
        refuse(resource, custodian.objection(fit(resource, devices).keySet()).orElse(null));
    }

    private static void refuse(ResourceName resource, Map.@Nullable Entry<Face, Verdict> objection)
            throws DeviceUnavailableException {
        if (objection != null) {
            throw DeviceUnavailableException.unhealthy(
                    resource, objection.getKey().device(), objection.getValue().text());
        }
    }

    /** These devices, each fit in itself. Whether somebody else has them is not asked here. */
    private Map<Face, Device> fit(ResourceName resource, Set<String> devices) throws DeviceUnavailableException {
        Map<Face, Device> fit = new LinkedHashMap<>();
        for (String id : new TreeSet<>(devices)) {
            Item item = item(resource, id).orElseThrow(() -> current().absence(resource, id));
            fit.put(item.face().orElseThrow(), healthy(resource, item));
        }
        return fit;
    }

    private Optional<Item> item(ResourceName resource, String id) {
        for (Item item : items(id)) {
            if (item.resource().equals(Optional.of(resource))) {
                return Optional.of(item);
            }
        }
        return Optional.empty();
    }

    /** The items of a device: none, one, or one for each of its faces. Needs no lock. */
    List<Item> items(String id) {
        return byId.getOrDefault(id, List.of());
    }

    /** The list that withholds a device, or offers it again, may still be on its way, so its users are asked anew. */
    private Device healthy(ResourceName resource, Item item) throws DeviceUnavailableException {
        Device device = item.device();
        Health health = device.health();
        if (health.isHealthy()) {
            return device;
        }
        Custody custody = custodian.of(device.id());
        if (health.isOfUsers()
                || isItselfAgain(device)
                || (health.cause() == Health.Cause.START
                        && (custody.problem().isEmpty() || custody.isRetriedByClaim()))) {
            return device.withHealth(Health.HEALTHY);
        }
        throw DeviceUnavailableException.unhealthy(
                resource, device.id(), health.problem().orElseThrow());
    }

    /** Whether its nodes are those that its users were given, and nobody else's, though the list says otherwise. */
    private boolean isItselfAgain(Device device) {
        return device.health().cause() == Health.Cause.ANOTHER
                && new OtherNodes(custodian.nodes(), current().items())
                        .problem(device)
                        .isEmpty();
    }

    /** Whether a list depends on who has a device: as another face, or of a mate in its group. Needs no lock. */
    public boolean concernsOthers(Custody custody) {
        List<Face> own = new ArrayList<>();
        items(custody.id()).forEach(item -> item.face().ifPresent(own::add));
        return own.size() != 1
                || custody.otherThan(own.getFirst()).isPresent()
                || own.getFirst().group().stream().anyMatch(this::isGroupOfSeveral)
                || custody.group().stream().anyMatch(this::isGroupOfSeveral);
    }

    private boolean isGroupOfSeveral(int group) {
        return groups.getOrDefault(group, 0) > 1;
    }

    /** Whether another list may follow from that change. Needs no lock. */
    boolean concernsLists(Change change) {
        return change.isVisible()
                || (!change.isTelling() && (concernsOthers(change.before()) || concernsOthers(change.after())))
                || (!change.before().nodes().equals(change.after().nodes())
                        && (isAnother(change.before()) || isAnother(change.after())));
    }

    /** Whether the listed device has other nodes than those that its pod was given. Needs no lock. */
    private boolean isAnother(Custody custody) {
        return items(custody.id()).stream()
                .anyMatch(item -> item.device().changeSince(custody.nodes()).isPresent());
    }

    /**
     * Publishes the items after a change, unless there is none.
     *
     * @param look works out the change to the items of now, and again if somebody gets a device meanwhile that it omits
     * @return the change, which all later steps use, so that none goes through thousands of devices again
     */
    Optional<Difference<Item>> publish(List<Integer> numaNodes, Function<List<Item>, Difference<Item>> look) {
        while (true) {
            Set<String> held = custodian.held();
            Inventory before = current();
            Difference<Item> change = look.apply(before.items());
            if (before.generation() > 0 && change.isEmpty() && numaNodes.equals(before.numaNodes())) {
                return Optional.empty();
            }
            if (replace(before.next(change, numaNodes), change, held)) {
                listeners.forEach(Runnable::run);
                return Optional.of(change);
            }
        }
    }

    /** Refuses if somebody has a device that is gone and that was not among the held ones. */
    private boolean replace(Inventory after, Difference<Item> change, Set<String> before) {
        Set<String> gone = new HashSet<>();
        change.removed().forEach(item -> gone.add(item.device().id()));
        change.added().forEach(item -> gone.remove(item.device().id()));
        gone.removeAll(before);
        lock.lock();
        try {
            if (gone.stream().anyMatch(id -> !custodian.of(id).holds().isEmpty())) {
                // The users may be known from notes alone. Then this is the last time that the device is seen.
                change.removed().stream()
                        .map(Item::device)
                        .filter(device -> gone.contains(device.id()))
                        .forEach(device -> custodian.tell(device.id(), new Event.Seen(device)));
                return false;
            }
            index(change);
            // Its mates are offered from now on, and the next reading of its users comes later.
            change.added().stream()
                    .flatMap(item -> item.face().stream())
                    .filter(face -> face.group().isPresent())
                    .forEach(face -> custodian.tell(face.device(), new Event.Grouped(face)));
            Inventory ignored = newest.change(older -> after);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** All items of a device change at once, because others read them without the lock. */
    private void index(Difference<Item> change) {
        Map<String, List<Item>> changed = new HashMap<>();
        change.removed().forEach(item -> next(changed, item).remove(item));
        change.added().forEach(item -> next(changed, item).add(item));
        changed.forEach((id, items) -> {
            group(items(id)).ifPresent(group -> count(group, -1));
            if (items.isEmpty()) {
                byId.remove(id);
            } else {
                byId.put(id, List.copyOf(items));
            }
            group(items).ifPresent(group -> count(group, 1));
        });
    }

    private List<Item> next(Map<String, List<Item>> changed, Item item) {
        String id = item.device().id();
        return changed.computeIfAbsent(id, own -> new ArrayList<>(items(own)));
    }

    /** The group of those faces that come with it. */
    private static OptionalInt group(List<Item> faces) {
        return faces.stream()
                .flatMap(item -> item.face().stream())
                .map(Face::group)
                .filter(OptionalInt::isPresent)
                .findFirst()
                .orElse(OptionalInt.empty());
    }

    private void count(int group, int more) {
        if (groups.merge(group, more, Integer::sum) <= 0) {
            groups.remove(group);
        }
    }
}
