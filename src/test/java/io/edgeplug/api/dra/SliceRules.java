package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The rules of the real API server for a slice (validation of resource.k8s.io), as far as edgeplug could break them.
 */
final class SliceRules {

    private static final String LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
    private static final String SUBDOMAIN = "[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*";
    private static final String NAME = "[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?";
    private static final String IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]{0,31}";

    private SliceRules() {}

    static Optional<String> problem(JsonObject slice) {
        JsonObject spec = Json.object(slice, "spec");
        JsonObject pool = Json.object(spec, "pool");
        if (!Json.text(spec, "driver").toLowerCase(Locale.ROOT).matches(SUBDOMAIN)
                || Json.text(spec, "driver").length() > 63) {
            return Optional.of("spec.driver: Invalid value");
        }
        if (!Json.text(pool, "name").matches(SUBDOMAIN + "(/" + SUBDOMAIN + ")*")) {
            return Optional.of("spec.pool.name: Invalid value");
        }
        if (!Json.text(pool, "resourceSliceCount").matches("[1-9]\\d*")) {
            return Optional.of("spec.pool.resourceSliceCount: Invalid value: must be greater than zero");
        }
        if (!Json.text(pool, "generation").matches("\\d+")) {
            return Optional.of("spec.pool.generation: Invalid value");
        }
        // An empty list counts too.
        if (spec.has("devices") && spec.has("sharedCounters")) {
            return Optional.of("spec: Invalid value: only one of `sharedCounters` or `devices` is allowed");
        }
        return CounterRules.problem(spec)
                .or(() -> devices(spec.get("devices") instanceof JsonArray all ? all : new JsonArray()));
    }

    private static Optional<String> devices(JsonArray devices) {
        Set<String> names = new HashSet<>();
        boolean isAdvanced = false;
        for (JsonElement one : devices) {
            JsonObject device = one.getAsJsonObject();
            String name = Json.text(device, "name");
            if (!name.matches(LABEL) || !names.add(name)) {
                return Optional.of("spec.devices.name: Invalid or duplicate value: " + name);
            }
            Map<String, JsonElement> attributes =
                    Json.object(device, "attributes").asMap();
            if (attributes.size() + Json.object(device, "capacity").size() > 32) {
                return Optional.of("spec.devices: Too many attributes and capacities");
            }
            Optional<String> ofFields = CapacityRules.problem(device).or(() -> BindingRules.problem(device));
            if (ofFields.isPresent()) {
                return ofFields;
            }
            for (Map.Entry<String, JsonElement> attribute : attributes.entrySet()) {
                Optional<String> problem =
                        attribute(attribute.getKey(), attribute.getValue().getAsJsonObject());
                if (problem.isPresent()) {
                    return problem;
                }
            }
            JsonArray taints = device.get("taints") instanceof JsonArray all ? all : new JsonArray();
            isAdvanced |= !taints.isEmpty() || device.has("consumesCounters");
            if (taints.size() > 16 || !taints.asList().stream().allMatch(SliceRules::isTaint)) {
                return Optional.of("spec.devices.taints: Invalid value");
            }
        }
        return devices.size() > (isAdvanced ? 64 : 128)
                ? Optional.of("spec.devices: Too many: " + devices.size())
                : Optional.empty();
    }

    /** Whether it is a name for an attribute or a capacity. Of a name with two slashes or more, it looks at nothing. */
    static boolean isQualifiedName(String name) {
        String[] parts = name.split("/", -1);
        return parts.length > 2
                || (parts[parts.length - 1].matches(IDENTIFIER)
                        && (parts.length == 1 || (parts[0].matches(SUBDOMAIN) && parts[0].length() <= 63)));
    }

    private static boolean isTaint(JsonElement json) {
        JsonObject taint = json.getAsJsonObject();
        return Json.text(taint, "key").matches("(" + SUBDOMAIN + "/)?" + NAME)
                && Json.text(taint, "value").matches("(" + NAME + ")?")
                && Set.of("None", "NoSchedule", "NoExecute").contains(Json.text(taint, "effect"));
    }

    private static Optional<String> attribute(String name, JsonObject value) {
        if (!isQualifiedName(name)
                || value.size() != 1
                || Json.text(value, "string").length() > 64) {
            return Optional.of("spec.devices.attributes: Invalid value: " + name + ": " + value);
        }
        return Optional.empty();
    }
}
