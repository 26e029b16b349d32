package io.edgeplug.node.container;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.edgeplug.model.device.PodInterface;
import java.util.Collection;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * What a CDI specification says of network interfaces. The runtime moves an interface that is on the node. One that is
 * in the pod already must not be in the specification, because the runtime does not find it on the node then, and fails.
 */
final class InterfaceEdits {

    /** Older runtimes refuse a file of this version, so no other file has it. */
    static final String VERSION = "1.1.0";

    private static final String KEY = "netDevices";
    private static final String ENV = "env";
    private static final String VARIABLE = "EDGEPLUG_INTERFACE_";
    private static final Pattern NO_VARIABLE = Pattern.compile("[^A-Z0-9]");

    private InterfaceEdits() {}

    /** Adds the variable with a device's interface in the pod. So a device has an edit also once its interface is there. */
    static void addVariable(JsonObject edits, String device, String name) {
        JsonArray env = edits.has(ENV) ? edits.getAsJsonArray(ENV) : new JsonArray();
        env.add(VARIABLE + NO_VARIABLE.matcher(device.toUpperCase(Locale.ROOT)).replaceAll("_") + "=" + name);
        edits.add(ENV, env);
    }

    /** Puts the interfaces that the runtime is to move in the place of those that the edits had. */
    static void put(JsonObject edits, Collection<PodInterface> interfaces) {
        JsonArray moves = new JsonArray();
        for (PodInterface one : interfaces) {
            one.nodeName().ifPresent(onNode -> {
                JsonObject move = new JsonObject();
                move.addProperty("hostInterfaceName", onNode);
                move.addProperty("name", one.name());
                moves.add(move);
            });
        }
        if (moves.isEmpty()) {
            JsonElement ignored = edits.remove(KEY);
        } else {
            edits.add(KEY, moves);
        }
    }

    static boolean areIn(JsonObject edits) {
        return edits.has(KEY);
    }
}
