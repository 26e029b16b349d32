package io.edgeplug.model.config;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.Api;
import io.edgeplug.model.rules.Recipe;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the API by which Kubernetes gets the devices of a class, and reports keys that this API does not have. */
record ApiReader(Table table) {

    /** Keys for device plugins only. The devices of a claim are always handed over by CDI. */
    private static final List<String> OF_PLUGINS = List.of("hand_over", "cdi_annotations", "annotations");

    /** A slice has the resource in an attribute, and the API server allows this length. */
    private static final int MAX_RESOURCE = 64;

    private static final String PREPARE_BEFORE = "prepare_before";
    private static final Map<String, Boolean> MOMENTS = new TreeMap<>(Map.of("binding", true, "start", false));

    Api read(@Nullable ResourceName resource) {
        Api api = Words.oneOf(table, "api", Api.class).orElse(Api.DEVICE_PLUGIN);
        if (api == Api.DRA) {
            OF_PLUGINS.stream()
                    .filter(table::has)
                    .forEach(key -> table.mistake(
                            key, "does not apply to api = \"dra\", which hands devices over by CDI alone"));
            if (resource != null && resource.toString().length() > MAX_RESOURCE) {
                table.mistake("resource", "is longer than the " + MAX_RESOURCE + " characters that api = \"dra\" has");
            }
        }
        return api;
    }

    /**
     * Whether devices are prepared before the pod is bound to this node. FPGAs are unless the class says otherwise,
     * because programming takes seconds and may fail.
     */
    boolean isPreparedBeforeBinding(Api api, Recipe recipe) {
        boolean isBefore = Words.oneOf(table, PREPARE_BEFORE, MOMENTS).orElse(api == Api.DRA && recipe.programs());
        if (isBefore && api != Api.DRA) {
            table.mistake(PREPARE_BEFORE, "needs api = \"dra\": the scheduler does not wait for a device plugin");
        } else if (isBefore && recipe.isEmpty()) {
            table.mistake(PREPARE_BEFORE, "needs [class.prepare] or [class.interface]: there is nothing to prepare");
        }
        return isBefore;
    }
}
