package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;

/** The objects of a {@link StrictApiServer}, and its answers; for one thread at a time. */
final class ApiObjects {

    static final String NODE = "node1";

    private static final String SLICES = "/apis/resource.k8s.io/v1/resourceslices";

    final Map<String, JsonObject> slices = new TreeMap<>();
    final List<BlockingQueue<JsonObject>> watches = new ArrayList<>();
    long version = 1000;
    final ClaimObjects claims = new ClaimObjects(() -> ++version);
    boolean dropsTaints;
    boolean dropsCounters;
    boolean refusesCounters;
    boolean dropsCapacity;
    String nodeUid = "uid-of-node1";

    /** Begins a watch, and returns whether it asks for events that are not kept. */
    boolean watch(BlockingQueue<JsonObject> events, boolean isOfClaims, long since) {
        if (isOfClaims) {
            claims.watch(events, since);
            return false;
        }
        watches.add(events);
        return since < version;
    }

    /** Why somebody may not watch; an empty object if he may. */
    JsonObject refusalOfWatch(String path) {
        return ClaimObjects.isOfAllClaims(path) ? claims.refusalOfWatch().orElseGet(JsonObject::new) : new JsonObject();
    }

    void end(BlockingQueue<JsonObject> events) {
        claims.end(events);
        watches.remove(events);
    }

    /** Somebody else changes a slice. */
    void change(String name, JsonArray devices) {
        JsonObject slice = Optional.ofNullable(slices.get(name)).orElseThrow().deepCopy();
        Json.object(slice, "spec").add("devices", devices);
        JsonObject ignored = store("MODIFIED", slice);
    }

    JsonObject answer(String method, String path, Map<String, String> query, String body) {
        if (path.equals("/api/v1/nodes/" + NODE)) {
            return JsonParser.parseString("{\"metadata\":{\"name\":\"node1\",\"uid\":\"" + nodeUid + "\"}}")
                    .getAsJsonObject();
        }
        Optional<JsonObject> ofClaims = claims.answer(method, path, query, body, version);
        if (ofClaims.isPresent()) {
            return ofClaims.orElseThrow();
        }
        if (path.startsWith(SLICES)) {
            String name = path.substring(SLICES.length()).replaceFirst("^/", "");
            return slice(method, name, query, body);
        }
        return problem(403, "User \"system:node:node1\" cannot " + method.toLowerCase(Locale.ROOT) + " " + path);
    }

    private JsonObject slice(String method, String name, Map<String, String> query, String body) {
        JsonObject sent =
                body.isEmpty() ? new JsonObject() : JsonParser.parseString(body).getAsJsonObject();
        return switch (method) {
            case "GET" ->
                query.getOrDefault("fieldSelector", "").contains("spec.nodeName=" + NODE)
                        ? list()
                        : problem(403, "cannot list resource \"resourceslices\" at the cluster scope");
            case "DELETE" -> delete(name, Json.text(Json.object(sent, "preconditions"), "uid"));
            default -> write(method, name, query, sent);
        };
    }

    /** The Node authorizer knows whose slices there are, and answers before anybody looks for the slice itself. */
    private static JsonObject unrelated(String name) {
        return problem(
                403,
                "resourceslices \"" + name
                        + "\" is forbidden: no relationship found between node 'node1' and this object");
    }

    private JsonObject delete(String name, String uid) {
        JsonObject known = slices.get(name);
        if (known == null) {
            return unrelated(name);
        }
        if (!uid.equals(Json.text(Json.object(known, "metadata"), "uid"))) {
            return problem(409, "the UID in the precondition does not match");
        }
        remove(name);
        return new JsonObject();
    }

    private JsonObject write(String method, String name, Map<String, String> query, JsonObject sent) {
        JsonObject spec = Json.object(sent, "spec");
        if (!Json.text(spec, "nodeName").equals(NODE)) {
            return problem(403, "can only create ResourceSlice with the same NodeName as the requesting node");
        }
        Optional<String> invalid = SliceRules.problem(sent);
        if (refusesCounters && spec.toString().contains("Counters\"")) {
            invalid = Optional.of("spec: Invalid value: counters");
        }
        if (invalid.isPresent()) {
            return problem(422, "ResourceSlice is invalid: " + invalid.orElseThrow());
        }
        JsonObject metadata = Json.object(sent, "metadata");
        if (method.equals("POST")) {
            String base = Json.text(metadata, "generateName");
            metadata.addProperty(
                    "name",
                    base.substring(0, Math.min(58, base.length()))
                            + UUID.randomUUID().toString().substring(0, 5));
            metadata.addProperty("uid", UUID.randomUUID().toString());
            return query.getOrDefault("dryRun", "").equals("All") ? sent : store("ADDED", sent);
        }
        JsonObject known = slices.get(name);
        if (known == null) {
            return unrelated(name);
        }
        String expected = Json.text(Json.object(known, "metadata"), "resourceVersion");
        if (!Json.text(metadata, "resourceVersion").equals(expected)) {
            return problem(409, "the object has been modified; please apply your changes to the latest version");
        }
        return store("MODIFIED", sent);
    }

    private JsonObject store(String event, JsonObject slice) {
        version++;
        Json.object(slice, "metadata").addProperty("resourceVersion", String.valueOf(version));
        if (dropsCounters) {
            Json.object(slice, "spec").remove("sharedCounters");
        }
        if (Json.object(slice, "spec").get("devices") instanceof JsonArray devices) {
            for (JsonElement device : devices) {
                serverChanges(device.getAsJsonObject());
            }
        }
        slices.put(Json.text(Json.object(slice, "metadata"), "name"), slice);
        tell(event, slice);
        return slice;
    }

    private void serverChanges(JsonObject device) {
        if (dropsTaints) {
            device.remove("taints");
        }
        if (dropsCounters) {
            device.remove("consumesCounters");
        }
        if (dropsCapacity) {
            CapacityRules.drop(device);
        }
        CapacityRules.shorten(device);
        claims.drop(device);
        if (device.get("taints") instanceof JsonArray taints) {
            taints.forEach(taint -> taint.getAsJsonObject().addProperty("timeAdded", "2026-11-23T12:00:00Z"));
        }
    }

    void remove(String name) {
        version++;
        Optional.ofNullable(slices.remove(name)).ifPresent(slice -> tell("DELETED", slice));
    }

    private void tell(String type, JsonObject slice) {
        JsonObject event = new JsonObject();
        event.addProperty("type", type);
        event.add("object", slice.deepCopy());
        watches.forEach(watch -> watch.add(event));
    }

    private JsonObject list() {
        JsonArray items = new JsonArray();
        slices.values().forEach(items::add);
        JsonObject metadata = new JsonObject();
        metadata.addProperty("resourceVersion", String.valueOf(version));
        JsonObject list = new JsonObject();
        list.add("metadata", metadata);
        list.add("items", items);
        return list.deepCopy();
    }

    private static JsonObject problem(int status, String message) {
        JsonObject problem = new JsonObject();
        problem.addProperty("problem", status);
        problem.addProperty("message", message);
        return problem;
    }
}
