package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** The claims of a {@link StrictApiServer}, and what it allows to be done with them; for one thread at a time. */
final class ClaimObjects {

    /** What the role of edgeplug has for a node. */
    static final Set<String> ROLE = Set.of(
            "get resourceclaims",
            "list resourceclaims",
            "watch resourceclaims",
            "patch resourceclaims/status",
            "arbitrary-node:patch resourceclaims/driver edgeplug.io");

    private static final String CLAIMS = "/apis/resource.k8s.io/v1/resourceclaims";
    private static final String CLAIM = "/apis/resource.k8s.io/v1/namespaces/[^/]+/resourceclaims/[^/]+";

    /** The rights of the node beside those of the Node authorizer. */
    final Set<String> rights = new HashSet<>();

    String user = "system:node:node1";
    JsonObject extra = new JsonObject();
    boolean dropsBinding;

    /** The server may refuse what reviews of access allow. */
    boolean refusesPatches;

    private final Map<String, JsonObject> claims = new TreeMap<>();

    /** By claim and device, the fields that the driver has set. */
    private final Map<String, Set<String>> applied = new HashMap<>();

    private final List<JsonObject> events = new ArrayList<>();
    private final Map<BlockingQueue<JsonObject>, Integer> watches = new HashMap<>();
    private final LongSupplier nextVersion;

    ClaimObjects(LongSupplier nextVersion) {
        this.nextVersion = nextVersion;
    }

    void put(JsonObject claim) {
        boolean isNew = !claims.containsKey(key(claim));
        store(isNew ? "ADDED" : "MODIFIED", claim.deepCopy());
    }

    void delete(String namespace, String name) {
        Optional.ofNullable(claims.remove(namespace + "/" + name)).ifPresent(claim -> store("DELETED", claim));
    }

    Optional<JsonObject> find(String name) {
        return Optional.ofNullable(claims.get(name)).map(JsonObject::deepCopy);
    }

    private static String key(JsonObject claim) {
        JsonObject metadata = Json.object(claim, "metadata");
        return Json.text(metadata, "namespace") + "/" + Json.text(metadata, "name");
    }

    private void store(String type, JsonObject claim) {
        Json.object(claim, "metadata").addProperty("resourceVersion", String.valueOf(nextVersion.getAsLong()));
        if (!type.equals("DELETED")) {
            claims.put(key(claim), claim);
        }
        JsonObject event = Json.of("type", type, "object", claim.deepCopy());
        events.add(event);
        watches.keySet().forEach(watch -> watch.add(event));
    }

    /** Gives events since that version to a watch, and those that come. */
    void watch(BlockingQueue<JsonObject> watch, long since) {
        events.stream()
                .filter(event -> Long.parseLong(
                                Json.text(Json.object(Json.object(event, "object"), "metadata"), "resourceVersion"))
                        > since)
                .forEach(watch::add);
        watches.put(watch, 0);
    }

    void end(BlockingQueue<JsonObject> watch) {
        watches.remove(watch);
    }

    Stream<BlockingQueue<JsonObject>> watches() {
        return watches.keySet().stream();
    }

    static boolean isOfAllClaims(String path) {
        return path.equals(CLAIMS);
    }

    Optional<JsonObject> refusalOfWatch() {
        return rights.contains("watch resourceclaims") ? Optional.empty() : Optional.of(forbidden("watch"));
    }

    /** The answer to a request about claims or rights; empty if it is about something else. */
    Optional<JsonObject> answer(String method, String path, Map<String, String> query, String body, long version) {
        if (path.equals("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")) {
            return Optional.of(review(JsonParser.parseString(body).getAsJsonObject()));
        }
        if (path.equals("/apis/authentication.k8s.io/v1/selfsubjectreviews")) {
            return Optional.of(
                    Json.of("status", Json.of("userInfo", Json.of("username", user, "extra", extra.deepCopy()))));
        }
        if (path.equals(CLAIMS) && method.equals("GET")) {
            return Optional.of(rights.contains("list resourceclaims") ? list(query, version) : forbidden("list"));
        }
        if (path.matches(CLAIM) && method.equals("GET")) {
            String[] parts = path.split("/", -1);
            return Optional.of(find(parts[5] + "/" + parts[7])
                    .orElseGet(() -> rights.contains("get resourceclaims")
                            ? problem(404, "resourceclaims \"" + parts[7] + "\" not found")
                            : problem(403, "no relationship found between node 'node1' and this object")));
        }
        if (path.matches(CLAIM + "/status") && method.equals("PATCH")) {
            String[] parts = path.split("/", -1);
            return Optional.of(apply(
                    parts[5] + "/" + parts[7], JsonParser.parseString(body).getAsJsonObject()));
        }
        return Optional.empty();
    }

    private JsonObject review(JsonObject review) {
        JsonObject asked = Json.object(Json.object(review, "spec"), "resourceAttributes");
        String subresource = Json.text(asked, "subresource");
        String right = (Json.text(asked, "verb") + " " + Json.text(asked, "resource")
                        + (subresource.isEmpty() ? "" : "/" + subresource) + " " + Json.text(asked, "name"))
                .strip();
        return Json.of("status", Json.of("allowed", rights.contains(right)));
    }

    /** As many claims as are asked for, and where the next ones begin. */
    private JsonObject list(Map<String, String> query, long version) {
        int from = Integer.parseInt(query.getOrDefault("continue", "0"));
        int most = Integer.parseInt(query.getOrDefault("limit", "500"));
        List<JsonObject> all = List.copyOf(claims.values());
        List<JsonObject> some = all.subList(from, Math.min(all.size(), from + most));
        JsonObject metadata = Json.of("resourceVersion", String.valueOf(version));
        if (from + most < all.size()) {
            metadata.addProperty("continue", String.valueOf(from + most));
        }
        return Json.of("metadata", metadata, "items", Json.array(some.stream().map(JsonObject::deepCopy)));
    }

    /** Sets the driver's devices, as the server does after it has asked for both rights. */
    private JsonObject apply(String key, JsonObject sent) {
        if (refusesPatches || !rights.contains("patch resourceclaims/status")) {
            return forbidden("patch");
        }
        if (!rights.contains("arbitrary-node:patch resourceclaims/driver edgeplug.io")) {
            return problem(
                    422,
                    "ResourceClaim.resource.k8s.io \"" + key + "\" is invalid: status.devices: Forbidden: changing"
                            + " status.devices requires resource=\"resourceclaims/driver\", verb=\"arbitrary-node:patch\"");
        }
        JsonObject claim = find(key).orElse(null);
        if (claim == null) {
            return problem(404, "resourceclaims not found");
        }
        if (!Json.text(Json.object(sent, "metadata"), "uid").equals(Json.text(Json.object(claim, "metadata"), "uid"))) {
            return problem(409, "Precondition failed: UID in precondition");
        }
        JsonObject status = Json.object(claim, "status");
        Set<String> allocated = new HashSet<>();
        Json.objects(Json.object(Json.object(status, "allocation"), "devices"), "results")
                .forEach(one -> allocated.add(device(one)));
        JsonArray devices = new JsonArray();
        for (JsonElement one : Json.object(sent, "status").getAsJsonArray("devices")) {
            Optional<String> invalid = invalid(one.getAsJsonObject(), allocated);
            if (invalid.isPresent()) {
                return problem(422, "ResourceClaim is invalid: " + invalid.orElseThrow());
            }
            devices.add(merged(key, status, one.getAsJsonObject().deepCopy()));
        }
        Json.objects(status, "devices")
                .filter(one -> !Json.text(one, "driver").equals("edgeplug.io"))
                .forEach(devices::add);
        status.add("devices", devices);
        store("MODIFIED", claim);
        return claim.deepCopy();
    }

    /** What the driver has set and does not set any more is removed. The fields of others stay. */
    private JsonObject merged(String key, JsonObject status, JsonObject sent) {
        Set<String> own = Optional.ofNullable(applied.put(key + "/" + device(sent), Set.copyOf(sent.keySet())))
                .orElse(Set.of());
        Json.objects(status, "devices")
                .filter(before -> device(before).equals(device(sent)))
                .flatMap(before -> before.asMap().entrySet().stream())
                .filter(field -> !own.contains(field.getKey()) && !sent.has(field.getKey()))
                .forEach(field -> sent.add(field.getKey(), field.getValue()));
        return sent;
    }

    private static Optional<String> invalid(JsonObject device, Set<String> allocated) {
        if (!allocated.contains(device(device))) {
            return Optional.of("status.devices: must be an allocated device in the claim");
        }
        JsonObject network = Json.object(device, "networkData");
        List<String> ips = Json.texts(network, "ips").toList();
        if (Json.text(network, "interfaceName").length() > 256
                || Json.text(network, "hardwareAddress").length() > 128
                || ips.size() > 16
                || Set.copyOf(ips).size() < ips.size()
                || !ips.stream().allMatch(ip -> ip.matches("[0-9.]+/\\d+|(?!.*:0:0)[0-9a-f:]+/\\d+"))) {
            return Optional.of("status.devices.networkData: " + network);
        }
        Set<String> types = new HashSet<>();
        return Json.objects(device, "conditions")
                .filter(one -> !types.add(Json.text(one, "type"))
                        || !Json.text(one, "reason").matches("[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
                        || !Json.text(one, "status").matches("True|False|Unknown")
                        || Json.text(one, "message").length() > 32768
                        || !Json.text(one, "lastTransitionTime").matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ"))
                .findFirst()
                .map(one -> "status.devices.conditions: " + one);
    }

    private static String device(JsonObject one) {
        return Json.text(one, "driver") + "/" + Json.text(one, "pool") + "/" + Json.text(one, "device") + "/"
                + Json.text(one, "shareID");
    }

    /** An older server, or one without the feature gate, drops these fields of a slice's device. */
    void drop(JsonObject device) {
        if (dropsBinding) {
            device.remove("bindsToNode");
            device.remove("bindingConditions");
            device.remove("bindingFailureConditions");
        }
    }

    private JsonObject forbidden(String verb) {
        return problem(403, "User \"" + user + "\" cannot " + verb + " resource \"resourceclaims\"");
    }

    private static JsonObject problem(int status, String message) {
        return Json.of("problem", status, "message", message);
    }
}
