package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.edgeplug.api.dra.SliceTexts.DeviceText;
import io.edgeplug.model.device.Device;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Gatherers;

/**
 * The content of this node's slices. The devices of all classes come first, one slice after the other. Then come the
 * counters, by which the faces of one device exclude each other. A slice has either devices or counters.
 */
final class Pool {

    /** The API server's limit for a slice whose devices have taints. Any device may get one. */
    static final int MAX_DEVICES = 64;

    /** The keys of our taints. Each says that nobody else should get the device, and its value gives the reason. */
    private static final String UNHEALTHY = "/unhealthy";

    private static final String HELD = "/held";

    private static final String SCRUBBING = "/scrubbing";

    /** The API server's limit for the counter sets of one slice. */
    static final int MAX_COUNTER_SETS = 8;

    /** A device with several faces can be used once, and each of its faces takes that one use. */
    private static final JsonObject ONE_USE = Json.of("use", Json.of("value", "1"));

    /** The scheduler waits for the first condition, and looks for another device after the second one. */
    private static final String AWAITED = ",\"bindingConditions\":[\"" + DeviceConditions.READY
            + "\"],\"bindingFailureConditions\":[\"" + DeviceConditions.FAILED + "\"],\"bindsToNode\":true";

    private final String driver;
    private final Set<SliceField> fields;

    /** The IDs of devices that several classes offer. */
    private final NavigableSet<String> shared = new TreeSet<>();

    private Pool(String driver, List<Offer> offers, Set<SliceField> fields) {
        this.driver = driver;
        this.fields = fields;
        Set<String> seen = new HashSet<>();
        offers.stream()
                .filter(offer -> offer.deviceClass().isFace())
                .flatMap(offer -> offer.devices().stream())
                .map(Device::id)
                .filter(id -> !seen.add(id))
                .forEach(shared::add);
    }

    /**
     * The content of each slice. Devices are in the order in which the scheduler should take them. Without devices there
     * is one empty slice.
     *
     * @param fields the fields that the API server keeps. Without taints, devices that nobody should get are left out.
     *     Without counters, only one face of each device is listed.
     * @param before by the name of a device, the index of the slice that has it now
     * @param texts the texts of the last call
     */
    static List<SliceContent> slices(
            String driver, List<Offer> offers, Set<SliceField> fields, Map<String, Integer> before, SliceTexts texts) {
        Pool pool = new Pool(driver, offers, fields);
        texts.turn();
        List<SliceContent> slices = new ArrayList<>();
        for (Offer offer : offers) {
            List<DeviceText> told = offer.inOrder(fields).stream()
                    .filter(one -> pool.isTold(offer, one) && pool.isFace(offers, offer, one.device()))
                    .map(one -> texts.device(one, pool.rest(offer, one)))
                    .toList();
            distributed(told, before).forEach(devices -> slices.add(texts.slice(leastUsedFirst(devices))));
        }
        slices.addAll(pool.counters());
        return slices.isEmpty() ? List.of(SliceContent.of(SliceContent.DEVICES, new JsonArray())) : slices;
    }

    /**
     * The devices of one slice. Those of which claims have fewer shares come first, so that claims share the load. A claim
     * thus changes one slice and no other.
     */
    private static List<DeviceText> leastUsedFirst(List<DeviceText> devices) {
        return devices.stream()
                .sorted(Comparator.comparingInt(DeviceText::used))
                .toList();
    }

    /**
     * Distributes devices over slices, in their order. Devices keep their slice, so that one that goes changes no other.
     *
     * @param before by the name of a device, the index of the slice that it had. A new device goes to the slice of the
     *     device in front of it. If the order or the room does not allow that, all slices are filled anew.
     */
    private static Collection<List<DeviceText>> distributed(List<DeviceText> devices, Map<String, Integer> before) {
        NavigableMap<Integer, List<DeviceText>> slices = new TreeMap<>();
        int at = devices.stream()
                .map(device -> before.get(device.name()))
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(0);
        for (DeviceText device : devices) {
            int wanted = before.getOrDefault(device.name(), at);
            List<DeviceText> slice = slices.computeIfAbsent(wanted, none -> new ArrayList<>());
            if (wanted < at || slice.size() == MAX_DEVICES) {
                return devices.stream()
                        .gather(Gatherers.windowFixed(MAX_DEVICES))
                        .toList();
            }
            slice.add(device);
            at = wanted;
        }
        return slices.values();
    }

    private List<SliceContent> counters() {
        return shared.stream()
                .filter(id -> fields.contains(SliceField.COUNTERS))
                .map(id -> Json.of("name", DeviceNames.of(id), "counters", ONE_USE))
                .gather(Gatherers.windowFixed(MAX_COUNTER_SETS))
                .map(sets -> SliceContent.of(SliceContent.COUNTERS, Json.array(sets.stream())))
                .toList();
    }

    /** Without counters only one face is listed: the one that a claim has, or else the first. */
    private boolean isFace(List<Offer> offers, Offer offer, Device device) {
        if (fields.contains(SliceField.COUNTERS) || !shared.contains(device.id())) {
            return true;
        }
        List<Offer> faces = offers.stream()
                .filter(one ->
                        one.devices().stream().anyMatch(other -> other.id().equals(device.id())))
                .toList();
        return faces.stream()
                .filter(one -> one.claimed().contains(device.id()))
                .findFirst()
                .orElse(faces.getFirst())
                .equals(offer);
    }

    /** A device that a claim has stays listed, because leaving it out would evict nobody. */
    private boolean isTold(Offer offer, OfferedDevice one) {
        if (offer.claimed().contains(one.id())) {
            return true;
        }
        Device device = one.device();
        boolean isFree = !isBroken(device)
                && !offer.heldByPlugin().contains(device.id())
                && !offer.used().containsKey(device.id())
                && !offer.unfit().contains(device.id());
        return isFree || (fields.contains(SliceField.TAINTS) && !device.health().isGone());
    }

    /** A device that is only withheld is not broken. Another taint says why nobody should get it. */
    private static boolean isBroken(Device device) {
        return !device.health().isHealthy() && !device.health().isWithheld();
    }

    /** The fields of a device after its attributes, which most devices do not have. */
    private String rest(Offer offer, OfferedDevice one) {
        Device device = one.device();
        StringBuilder rest = new StringBuilder();
        if (offer.isAwaited() && fields.contains(SliceField.BINDING)) {
            rest.append(AWAITED);
        }
        if (fields.contains(SliceField.COUNTERS) && shared.contains(device.id())) {
            JsonObject consumed = Json.of("counterSet", DeviceNames.of(device.id()), "counters", ONE_USE);
            rest.append(",\"consumesCounters\":[").append(consumed).append(']');
        }
        JsonArray taints = fields.contains(SliceField.TAINTS) ? taints(offer, one) : new JsonArray();
        if (!taints.isEmpty()) {
            rest.append(",\"taints\":").append(taints);
        }
        return rest.toString();
    }

    private JsonArray taints(Offer offer, OfferedDevice one) {
        Device device = one.device();
        JsonArray taints = new JsonArray();
        if (isBroken(device)) {
            boolean evicts =
                    offer.deviceClass().claims().evict() && offer.claimed().contains(one.id());
            taints.add(taint(
                    UNHEALTHY, device.health().isGone() ? "gone" : "unhealthy", evicts ? "NoExecute" : "NoSchedule"));
        } else if (offer.unfit().contains(device.id())) {
            taints.add(taint(UNHEALTHY, "preparation-failed", "NoSchedule"));
        }
        if (offer.heldByPlugin().contains(device.id())) {
            taints.add(taint(HELD, "device-plugin", "NoSchedule"));
        } else if (one.isLeft()) {
            taints.add(taint(HELD, "claim", "NoSchedule"));
        }
        Boolean isScrubbed = offer.used().get(device.id());
        if (isScrubbed != null) {
            taints.add(taint(SCRUBBING, isScrubbed ? "pending" : "failed", "NoSchedule"));
        }
        return taints;
    }

    private JsonObject taint(String key, String value, String effect) {
        return Json.of("effect", effect, "key", driver + key, "value", value);
    }
}
