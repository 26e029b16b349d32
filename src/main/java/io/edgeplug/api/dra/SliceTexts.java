package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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

    /** A device in a slice, with its text as it was told last. */
    private static final class Told {
        private final Device device;
        private final @Nullable ShareCapacity capacity;

        /** Its JSON, if other devices and claims add nothing. */
        private final String plain;

        private String rest = "";
        private DeviceText text;
        private long turn;

        Told(OfferedDevice one) {
            this.device = one.device();
            this.capacity = one.capacity().orElse(null);
            JsonObject json = new JsonObject();
            json.addProperty("name", one.name());
            one.capacity().ifPresent(any -> json.addProperty(ShareCapacity.SEVERAL, true));
            json.add("attributes", SliceContent.sorted(DeviceAttributes.of(one.deviceClass(), device)));
            one.capacity().ifPresent(shares -> json.add("capacity", shares.json()));
            this.plain = json.toString();
            this.text = new DeviceText(one.name(), plain, 0);
        }

        /** Devices are kept as objects until they change. Comparing their fields would take longer. */
        @SuppressWarnings("ReferenceEquality")
        boolean isOf(OfferedDevice one) {
            return device == one.device()
                    && Objects.equals(capacity, one.capacity().orElse(null));
        }

        DeviceText text(String newRest, int used) {
            if (!newRest.equals(rest) || used != text.used()) {
                String json = newRest.isEmpty() ? plain : plain.substring(0, plain.length() - 1) + newRest + "}";
                text = new DeviceText(text.name(), json, used);
                rest = newRest;
            }
            return text;
        }
    }

    private final IdentityHashMap<DeviceClass, Map<String, Told>> devices = new IdentityHashMap<>();
    private Map<List<DeviceText>, SliceContent> slicesBefore = Map.of();
    private Map<List<DeviceText>, SliceContent> slices = new HashMap<>();
    private long turn;

    /** Begins anew. Only texts that were used since the last call are still known. */
    void turn() {
        devices.values().forEach(ofClass -> ofClass.values().removeIf(told -> told.turn < turn));
        devices.values().removeIf(Map::isEmpty);
        turn++;
        slicesBefore = slices;
        slices = new HashMap<>();
    }

    /**
     * The text of a device, which is the same object until it changes.
     *
     * @param rest its fields after the attributes and the capacity, each after a comma
     */
    DeviceText device(OfferedDevice one, String rest) {
        Map<String, Told> ofClass = devices.computeIfAbsent(one.deviceClass(), none -> new HashMap<>());
        Told told =
                ofClass.compute(one.id(), (id, before) -> before != null && before.isOf(one) ? before : new Told(one));
        told.turn = turn;
        return told.text(rest, one.used());
    }

    SliceContent slice(List<DeviceText> all) {
        SliceContent before = slicesBefore.get(all);
        SliceContent content = before != null
                ? before
                : new SliceContent(
                        all.stream()
                                .map(DeviceText::json)
                                .collect(Collectors.joining(",", "{\"" + SliceContent.DEVICES + "\":[", "]}")),
                        all.stream().map(DeviceText::name).toList());
        slices.put(all, content);
        return content;
    }
}
