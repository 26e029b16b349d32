package io.edgeplug.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.edgeplug.device.Device;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What the slices of this node hold: the devices of all classes, in one slice after the other, and then the counters by which
 * those exclude each other that are faces of one device. A slice has either.
 */
final class Pool {

    /** Of devices with taints a slice has no more, and any may get one. */
    static final int MAX_DEVICES = 64;

    /** Of our taints, which say that nobody else should get the device; the value tells why. */
    private static final String UNHEALTHY = "/unhealthy";

    private static final String HELD = "/held";

    private static final String SCRUBBING = "/scrubbing";

    /** What the API server takes of them in one slice. */
    static final int MAX_COUNTER_SETS = 8;

    private static final String DEVICES = "devices";
    private static final String COUNTERS = "sharedCounters";

    /** Of each device that has several faces there is one. */
    private static final String COUNTER = "use";

    private final String driver;
    private final SliceFields fields;

    /** The IDs of devices that several classes offer. */
    private final NavigableSet<String> shared = new TreeSet<>();

    private Pool(String driver, List<Offer> offers, SliceFields fields) {
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
     * What each slice holds, as part of its {@code spec}, with devices in the order that the scheduler is to keep to; one slice
     * without devices if there are none. Equal contents are equal texts.
     *
     * @param fields what the API server keeps; without taints, what is not to be given is left out, and without counters all
     *     faces of a device but one
     */
    static List<String> slices(String driver, List<Offer> offers, SliceFields fields) {
        Pool pool = new Pool(driver, offers, fields);
        List<String> slices = new ArrayList<>();
        for (Offer offer : offers) {
            JsonArray devices = new JsonArray();
            for (OfferedDevice one : offer.inOrder()) {
                if (pool.isTold(offer, one) && pool.isFace(offers, offer, one.device())) {
                    devices.add(pool.device(offer, one));
                }
                if (devices.size() == MAX_DEVICES) {
                    slices.add(content(DEVICES, devices));
                    devices = new JsonArray();
                }
            }
            if (!devices.isEmpty()) {
                slices.add(content(DEVICES, devices));
            }
        }
        slices.addAll(pool.counters());
        return slices.isEmpty() ? List.of(content(DEVICES, new JsonArray())) : slices;
    }

    private static String content(String name, JsonArray array) {
        JsonObject content = new JsonObject();
        content.add(name, array);
        return content.toString();
    }

    private List<String> counters() {
        List<String> slices = new ArrayList<>();
        if (!fields.counters()) {
            return slices;
        }
        JsonArray sets = new JsonArray();
        for (String id : shared) {
            JsonObject set = new JsonObject();
            set.addProperty("name", DeviceNames.of(id));
            set.add("counters", one());
            sets.add(set);
            if (sets.size() == MAX_COUNTER_SETS) {
                slices.add(content(COUNTERS, sets));
                sets = new JsonArray();
            }
        }
        if (!sets.isEmpty()) {
            slices.add(content(COUNTERS, sets));
        }
        return slices;
    }

    /** What there is of a device for all of its faces, and what each of them takes. */
    private static JsonObject one() {
        JsonObject value = new JsonObject();
        value.addProperty("value", "1");
        JsonObject counters = new JsonObject();
        counters.add(COUNTER, value);
        return counters;
    }

    /** Without counters one face is told: that which a claim has, else the first. */
    private boolean isFace(List<Offer> offers, Offer offer, Device device) {
        if (fields.counters() || !shared.contains(device.id())) {
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

    /** A device that a claim has stays, since leaving it out would evict nobody. */
    private boolean isTold(Offer offer, OfferedDevice one) {
        if (offer.claimed().contains(one.id())) {
            return true;
        }
        Device device = one.device();
        boolean isFree = !isBroken(device)
                && !offer.heldByPlugin().contains(device.id())
                && !offer.used().containsKey(device.id());
        return isFree || (fields.taints() && !device.health().isGone());
    }

    /** One that is only withheld says so by another taint. */
    private static boolean isBroken(Device device) {
        return !device.health().isHealthy() && !device.health().isWithheld();
    }

    private JsonObject device(Offer offer, OfferedDevice one) {
        Device device = one.device();
        JsonObject json = new JsonObject();
        json.addProperty("name", one.name());
        json.add("attributes", sorted(DeviceAttributes.of(offer.deviceClass(), device)));
        if (fields.counters() && shared.contains(device.id())) {
            JsonObject consumed = new JsonObject();
            consumed.addProperty("counterSet", DeviceNames.of(device.id()));
            consumed.add("counters", one());
            JsonArray all = new JsonArray();
            all.add(consumed);
            json.add("consumesCounters", all);
        }
        if (fields.taints()) {
            JsonArray taints = taints(offer, one);
            if (!taints.isEmpty()) {
                json.add("taints", taints);
            }
        }
        return json;
    }

    private JsonArray taints(Offer offer, OfferedDevice one) {
        Device device = one.device();
        JsonArray taints = new JsonArray();
        if (isBroken(device)) {
            boolean evicts = offer.deviceClass().evict() && offer.claimed().contains(one.id());
            taints.add(taint(
                    UNHEALTHY, device.health().isGone() ? "gone" : "unhealthy", evicts ? "NoExecute" : "NoSchedule"));
        }
        if (offer.heldByPlugin().contains(device.id())) {
            taints.add(taint(HELD, "device-plugin", "NoSchedule"));
        }
        Optional<Boolean> isScrubbed = Optional.ofNullable(offer.used().get(device.id()));
        if (isScrubbed.isPresent()) {
            taints.add(taint(SCRUBBING, isScrubbed.orElseThrow() ? "pending" : "failed", "NoSchedule"));
        }
        return taints;
    }

    private JsonObject taint(String key, String value, String effect) {
        JsonObject taint = new JsonObject();
        taint.addProperty("effect", effect);
        taint.addProperty("key", driver + key);
        taint.addProperty("value", value);
        return taint;
    }

    /** What a slice holds as the API server has it, in the form of {@link #slices}. */
    static String content(JsonObject spec) {
        String name = spec.get(COUNTERS) instanceof JsonArray ? COUNTERS : DEVICES;
        return spec.get(name) instanceof JsonArray array
                ? content(name, sorted(array).getAsJsonArray())
                : content(name, new JsonArray());
    }

    /** Sorted by name, without what the server adds, and with {@code name} before all else, as above. */
    private static JsonElement sorted(JsonElement json) {
        return switch (json) {
            case JsonArray array -> {
                JsonArray sorted = new JsonArray();
                array.forEach(one -> sorted.add(sorted(one)));
                yield sorted;
            }
            case JsonObject object -> {
                Map<String, JsonElement> names = new TreeMap<>(object.asMap());
                names.remove("timeAdded");
                JsonObject sorted = new JsonObject();
                if (names.get("name") instanceof JsonPrimitive name) {
                    sorted.add("name", name);
                }
                names.forEach((name, value) -> sorted.add(name, sorted(value)));
                yield sorted;
            }
            default -> json;
        };
    }
}
