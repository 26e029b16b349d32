package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The rules for counters, of the real API server for a slice and of a scheduler for a pool (Kubernetes 1.37). */
final class CounterRules {

    private static final String LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";

    private static final int MAX_SETS = 8;
    private static final int MAX_COUNTERS = 32;
    private static final int MAX_CONSUMED = 2;

    private CounterRules() {}

    static Optional<String> problem(JsonObject spec) {
        Optional<String> problem = sets(spec, "sharedCounters", "name", MAX_SETS);
        for (JsonElement device : spec.get("devices") instanceof JsonArray all ? all : new JsonArray()) {
            problem = problem.or(() -> sets(device.getAsJsonObject(), "consumesCounters", "counterSet", MAX_CONSUMED));
        }
        return problem;
    }

    private static Optional<String> sets(JsonObject json, String field, String name, int most) {
        if (!json.has(field)) {
            return Optional.empty();
        }
        List<JsonElement> sets = json.getAsJsonArray(field).asList();
        if (sets.size() > most) {
            return Optional.of(
                    "spec." + field + ": Too many: " + sets.size() + ": must have at most " + most + " items");
        }
        Set<String> names = new HashSet<>();
        for (JsonElement one : sets) {
            JsonObject set = one.getAsJsonObject();
            Map<String, JsonElement> counters = Json.object(set, "counters").asMap();
            boolean areGood = !counters.isEmpty()
                    && counters.size() <= MAX_COUNTERS
                    && set.keySet().equals(Set.of(name, "counters"))
                    && counters.entrySet().stream().allMatch(CounterRules::isCounter);
            if (!Json.text(set, name).matches(LABEL) || !names.add(Json.text(set, name)) || !areGood) {
                return Optional.of("spec." + field + ": Invalid value: " + set);
            }
        }
        return Optional.empty();
    }

    private static boolean isCounter(Map.Entry<String, JsonElement> counter) {
        return counter.getKey().matches(LABEL)
                && counter.getValue() instanceof JsonObject object
                && object.keySet().equals(Set.of("value"))
                && Json.text(object, "value").matches("[0-9]+");
    }

    /**
     * Whether the pool has each set that one of its devices consumes, and only once. If not, no device of it is
     * allocated.
     */
    static boolean isWhole(List<JsonObject> slices) {
        List<String> names = TestSlices.counterSets(slices).stream()
                .map(set -> Json.text(set, "name"))
                .toList();
        return Set.copyOf(names).size() == names.size() && names.containsAll(TestSlices.consumed(slices));
    }
}
