package io.edgeplug.model.config;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.Api;
import io.edgeplug.model.rules.Recipe;
import java.util.List;
import java.util.Optional;

/** Reads the API by which Kubernetes gets the devices of a class, and reports keys that this API does not have. */
record ApiReader(Table table) {

    /** Keys for device plugins only. The devices of a claim are always handed over by CDI. */
    private static final List<String> OF_PLUGINS = List.of("hand_over", "cdi_annotations", "annotations");

    /** A slice has the resource in an attribute, and the API server allows this length. */
    private static final int MAX_RESOURCE = 64;

    private static final String PREPARE_BEFORE = "prepare_before";
    private static final String BINDING = "binding";
    private static final String START = "start";

    Api read(Optional<ResourceName> resource) {
        Api api = Words.oneOf(table, "api", Api.class).orElse(Api.DEVICE_PLUGIN);
        if (api == Api.DRA) {
            OF_PLUGINS.stream()
                    .filter(table::has)
                    .forEach(key -> table.mistake(
                            key, "does not apply to api = \"dra\", which hands devices over by CDI alone"));
            resource.filter(name -> name.toString().length() > MAX_RESOURCE)
                    .ifPresent(name -> table.mistake(
                            "resource", "is longer than the " + MAX_RESOURCE + " characters that api = \"dra\" has"));
        }
        return api;
    }

    /**
     * Whether devices are prepared before the pod is bound to this node. FPGAs are unless the class says otherwise,
     * because programming takes seconds and may fail.
     */
    boolean isPreparedBeforeBinding(Api api, Recipe recipe) {
        boolean isUsual = api == Api.DRA && recipe.programs();
        String word = table.string(PREPARE_BEFORE).orElse(isUsual ? BINDING : START);
        if (!word.equals(BINDING) && !word.equals(START)) {
            table.mistake(PREPARE_BEFORE, "\"" + word + "\" is none of " + BINDING + ", " + START);
        } else if (word.equals(BINDING) && api != Api.DRA) {
            table.mistake(PREPARE_BEFORE, "needs api = \"dra\": the scheduler does not wait for a device plugin");
        } else if (word.equals(BINDING) && recipe.isEmpty()) {
            table.mistake(PREPARE_BEFORE, "needs [class.prepare] or [class.interface]: there is nothing to prepare");
        }
        return word.equals(BINDING);
    }
}
