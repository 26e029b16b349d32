package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The devices or the counters of a slice, as part of its {@code spec}.
 *
 * @param json an object with one field. Fields of its parts are sorted, so equal contents are equal texts.
 * @param devices the names of its devices, in their order
 */
record SliceContent(String json, List<String> devices) {

    static final String DEVICES = "devices";
    static final String COUNTERS = "sharedCounters";

    /** The memory of a name of a device besides its characters. */
    private static final int COST_OF_NAME = 56;

    SliceContent {
        devices = List.copyOf(devices);
    }

    /** A content without names of devices. */
    static SliceContent of(String field, JsonArray array) {
        JsonObject content = new JsonObject();
        content.add(field, array);
        return new SliceContent(content.toString(), List.of());
    }

    /** The content of a slice on the API server. */
    static SliceContent of(JsonObject spec) {
        if (spec.get(COUNTERS) instanceof JsonArray counters) {
            return of(COUNTERS, sorted(counters).getAsJsonArray());
        }
        if (!(spec.get(DEVICES) instanceof JsonArray devices)) {
            return of(DEVICES, new JsonArray());
        }
        return new SliceContent(
                of(DEVICES, sorted(devices).getAsJsonArray()).json(),
                devices.asList().stream()
                        .filter(JsonElement::isJsonObject)
                        .map(device -> Json.text(device.getAsJsonObject(), "name"))
                        .toList());
    }

    /** The bytes of its text, and the memory of its names. */
    int memory() {
        return json.getBytes(StandardCharsets.UTF_8).length
                + devices.stream()
                        .mapToInt(name -> COST_OF_NAME + 2 * name.length())
                        .sum();
    }

    /** The one field, as it is in the text of a slice. */
    String field() {
        return json.substring(1, json.length() - 1);
    }

    /** The same field with an empty array. */
    String emptyField() {
        return json.substring(1, json.indexOf('[') + 1) + "]";
    }

    /** Sorts fields by name, with {@code name} first, and drops those that the server adds. */
    static JsonElement sorted(JsonElement json) {
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
