package io.edgeplug.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import io.edgeplug.device.Device;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** What the slices of this node hold: the devices of all classes, as the {@code spec.devices} of one slice after the other. */
final class Pool {

    /** Of devices with taints a slice has no more, and any may get one. */
    static final int MAX_DEVICES = 64;

    /** Of our taints, which say that nobody else should get the device; the value tells why. */
    private static final String UNHEALTHY = "/unhealthy";

    private static final String HELD = "/held";

    private static final String SCRUBBING = "/scrubbing";

    private final String driver;
    private final boolean hasTaints;

    private Pool(String driver, boolean hasTaints) {
        this.driver = driver;
        this.hasTaints = hasTaints;
    }

    /**
     * The devices of each slice, in the order that the scheduler is to keep to; one slice without devices if there are none.
     * Equal lists are equal texts.
     *
     * @param hasTaints whether the API server keeps taints; where it does not, what is not to be given is left out
     */
    static List<String> slices(String driver, List<Offer> offers, boolean hasTaints) {
        Pool pool = new Pool(driver, hasTaints);
        List<String> slices = new ArrayList<>();
        for (Offer offer : offers) {
            JsonArray devices = new JsonArray();
            for (Device device : offer.inOrder()) {
                if (pool.isTold(offer, device)) {
                    devices.add(pool.device(offer, device));
                }
                if (devices.size() == MAX_DEVICES) {
                    slices.add(devices.toString());
                    devices = new JsonArray();
                }
            }
            if (!devices.isEmpty()) {
                slices.add(devices.toString());
            }
        }
        return slices.isEmpty() ? List.of("[]") : slices;
    }

    /** A device that a claim has stays, since leaving it out would evict nobody. */
    private boolean isTold(Offer offer, Device device) {
        if (offer.claimed().contains(device.id())) {
            return true;
        }
        boolean isFree = !isBroken(device)
                && !offer.heldByPlugin().contains(device.id())
                && !offer.used().containsKey(device.id());
        return isFree || (hasTaints && !device.health().isGone());
    }

    /** One that is only withheld says so by another taint. */
    private static boolean isBroken(Device device) {
        return !device.health().isHealthy() && !device.health().isWithheld();
    }

    private JsonObject device(Offer offer, Device device) {
        JsonObject json = new JsonObject();
        json.addProperty("name", DeviceNames.of(device.id()));
        json.add("attributes", sorted(DeviceAttributes.of(offer.deviceClass(), device)));
        JsonArray taints = new JsonArray();
        boolean isClaimed = offer.claimed().contains(device.id());
        if (hasTaints && isBroken(device)) {
            boolean evicts = offer.deviceClass().evict() && isClaimed;
            taints.add(taint(
                    UNHEALTHY, device.health().isGone() ? "gone" : "unhealthy", evicts ? "NoExecute" : "NoSchedule"));
        }
        if (hasTaints && offer.heldByPlugin().contains(device.id())) {
            taints.add(taint(HELD, "device-plugin", "NoSchedule"));
        }
        Optional<Boolean> isScrubbed = Optional.ofNullable(offer.used().get(device.id()));
        if (hasTaints && isScrubbed.isPresent() && !isClaimed) {
            taints.add(taint(SCRUBBING, isScrubbed.orElseThrow() ? "pending" : "failed", "NoSchedule"));
        }
        if (!taints.isEmpty()) {
            json.add("taints", taints);
        }
        return json;
    }

    private JsonObject taint(String key, String value, String effect) {
        JsonObject taint = new JsonObject();
        taint.addProperty("effect", effect);
        taint.addProperty("key", driver + key);
        taint.addProperty("value", value);
        return taint;
    }

    /** The devices of a slice as the API server has them, in the form of {@link #slices}. */
    static String devices(JsonObject spec) {
        return spec.get("devices") instanceof JsonArray devices
                ? sorted(devices).toString()
                : "[]";
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
