package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** The rules of the real API server (Kubernetes 1.37) for the capacities of a device, with whole numbers only. */
final class CapacityRules {

    private static final int MAX_VALUES = 10;
    private static final String SEVERAL = "allowMultipleAllocations";

    private CapacityRules() {}

    static Optional<String> problem(JsonObject device) {
        boolean isForSeveral = Json.text(device, SEVERAL).equals("true");
        for (Map.Entry<String, JsonElement> one :
                Json.object(device, "capacity").asMap().entrySet()) {
            JsonObject capacity = one.getValue().getAsJsonObject();
            OptionalLong value = number(capacity, "value");
            boolean isGood = SliceRules.isQualifiedName(one.getKey())
                    && value.isPresent()
                    && (!capacity.has("requestPolicy")
                            || (isForSeveral && isPolicy(Json.object(capacity, "requestPolicy"), value.orElseThrow())));
            if (!isGood) {
                return Optional.of("spec.devices.capacity: Invalid value: " + one.getKey() + ": " + capacity);
            }
        }
        return Optional.empty();
    }

    private static boolean isPolicy(JsonObject policy, long value) {
        OptionalLong given = number(policy, "default");
        if (policy.has("validValues") && policy.has("validRange")) {
            return false;
        }
        if (policy.has("validValues")) {
            return given.isPresent() && areValues(policy.getAsJsonArray("validValues"), given.orElseThrow(), value);
        }
        return !policy.has("validRange")
                || (given.isPresent() && isRange(Json.object(policy, "validRange"), given.orElseThrow(), value));
    }

    private static boolean areValues(JsonArray values, long given, long value) {
        List<Long> all =
                values.asList().stream().map(one -> number(one.getAsString())).toList();
        return all.size() <= MAX_VALUES
                && new HashSet<>(all).size() == all.size()
                && all.stream().sorted().toList().equals(all)
                && all.contains(given)
                && all.stream().allMatch(one -> one <= value);
    }

    private static boolean isRange(JsonObject range, long given, long value) {
        OptionalLong least = number(range, "min");
        long most = number(range, "max").orElse(value);
        OptionalLong step = number(range, "step");
        if (least.isEmpty()
                || least.orElseThrow() > most
                || most > value
                || given < least.orElseThrow()
                || given > most) {
            return false;
        }
        long min = least.orElseThrow();
        return step.isEmpty()
                || (step.orElseThrow() > 0
                        && min + step.orElseThrow() <= value
                        && (given - min) % step.orElseThrow() == 0
                        && (!range.has("max") || (most - min) % step.orElseThrow() == 0));
    }

    private static OptionalLong number(JsonObject json, String name) {
        return json.has(name) ? OptionalLong.of(number(Json.text(json, name))) : OptionalLong.empty();
    }

    private static long number(String text) {
        return text.endsWith("k") ? Long.parseLong(text.substring(0, text.length() - 1)) * 1000 : Long.parseLong(text);
    }

    /** Changes a device as the server does: it writes a quantity in its shortest form. */
    static void shorten(JsonObject device) {
        for (JsonElement capacity : Json.object(device, "capacity").asMap().values()) {
            String value = Json.text(capacity.getAsJsonObject(), "value");
            if (value.endsWith("000")) {
                capacity.getAsJsonObject().addProperty("value", value.substring(0, value.length() - 3) + "k");
            }
        }
    }

    /** Changes a device as a server without the feature gate does. */
    static void drop(JsonObject device) {
        device.remove(SEVERAL);
        Json.object(device, "capacity")
                .asMap()
                .values()
                .forEach(capacity -> capacity.getAsJsonObject().remove("requestPolicy"));
    }
}
