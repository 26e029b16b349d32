package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** What the API server says of the conditions for which the scheduler waits. */
final class BindingRules {

    private static final int MAX_CONDITIONS = 4;
    private static final String NAME = "[A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?";
    private static final String DOMAIN = "[a-z0-9]([a-z0-9.-]*[a-z0-9])?/";

    private BindingRules() {}

    static Optional<String> problem(JsonObject device) {
        List<String> binding = names(device, "bindingConditions");
        List<String> failure = names(device, "bindingFailureConditions");
        Set<String> all = new HashSet<>();
        boolean isFine = binding.size() <= MAX_CONDITIONS
                && failure.size() <= MAX_CONDITIONS
                && binding.isEmpty() == failure.isEmpty()
                && binding.stream().allMatch(name -> all.add(name) && isName(name))
                && failure.stream().allMatch(name -> all.add(name) && isName(name));
        return isFine ? Optional.empty() : Optional.of("spec.devices.bindingConditions: Invalid value");
    }

    private static boolean isName(String name) {
        return name.matches("(" + DOMAIN + ")?" + NAME);
    }

    private static List<String> names(JsonObject device, String field) {
        return device.get(field) instanceof JsonArray array
                ? array.asList().stream().map(JsonElement::getAsString).toList()
                : List.of();
    }
}
