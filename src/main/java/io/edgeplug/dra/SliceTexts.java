package io.edgeplug.dra;

import com.google.gson.JsonObject;
import io.edgeplug.device.Device;
import io.edgeplug.rules.DeviceClass;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The texts of slices and of their devices, which are kept for the next time. Of a thousand devices one changes at a
 * time, and making the text of all would take longer than the rest of the way to the API server. For one thread.
 */
final class SliceTexts {

    /**
     * A device in a slice.
     *
     * @param name its name there
     * @param json its whole JSON
     * @param used how many of its shares claims have
     */
    record DeviceText(String name, String json, int used) {}

    /**
     * A device, and the text without what other devices and claims change.
     *
     * @param json that of a device of which nothing more is told
     * @param beginning the same without its last bracket
     */
    private record Made(Device device, Optional<ShareCapacity> capacity, String name, String json, String beginning) {}

    private IdentityHashMap<DeviceClass, Map<String, Made>> devicesBefore = new IdentityHashMap<>();
    private IdentityHashMap<DeviceClass, Map<String, Made>> devices = new IdentityHashMap<>();
    private Map<List<DeviceText>, String> slicesBefore = Map.of();
    private Map<List<DeviceText>, String> slices = new HashMap<>();

    /** Begins anew. Only texts that were used since the last call are still known. */
    void turn() {
        devicesBefore = devices;
        devices = new IdentityHashMap<>();
        slicesBefore = slices;
        slices = new HashMap<>();
    }

    /**
     * The text of a device.
     *
     * @param rest its fields after the attributes and the capacity, each after a comma
     */
    DeviceText device(OfferedDevice one, String rest) {
        Map<String, Made> ofClass = devicesBefore.getOrDefault(one.deviceClass(), Map.of());
        Made before = ofClass.get(one.id());
        Made made = before != null && isOf(before, one) ? before : made(one);
        devices.computeIfAbsent(one.deviceClass(), none -> new HashMap<>()).put(one.id(), made);
        return new DeviceText(made.name(), rest.isEmpty() ? made.json() : made.beginning() + rest + "}", one.used());
    }

    /** Devices are kept as objects until they change. Comparing their fields would take longer. */
    @SuppressWarnings("ReferenceEquality")
    private static boolean isOf(Made made, OfferedDevice one) {
        return made.device() == one.device() && made.capacity().equals(one.capacity());
    }

    private static Made made(OfferedDevice one) {
        JsonObject json = new JsonObject();
        json.addProperty("name", one.name());
        one.capacity().ifPresent(any -> json.addProperty(ShareCapacity.SEVERAL, true));
        json.add("attributes", Pool.sorted(DeviceAttributes.of(one.deviceClass(), one.device())));
        one.capacity().ifPresent(shares -> json.add("capacity", shares.json()));
        String text = json.toString();
        return new Made(one.device(), one.capacity(), one.name(), text, text.substring(0, text.length() - 1));
    }

    /** The content of a slice with these devices. */
    String slice(List<DeviceText> all) {
        String before = slicesBefore.get(all);
        String text = before != null
                ? before
                : all.stream().map(DeviceText::json).collect(Collectors.joining(",", "{\"devices\":[", "]}"));
        slices.put(all, text);
        return text;
    }
}
