package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.UUID;

/** Claims as the API server has them once the scheduler has given devices of the node to them. */
final class TestClaims {

    private TestClaims() {}

    /** The pod that may use a claim. */
    static JsonObject reservedFor(JsonObject claim) {
        return Json.object(claim, "status").getAsJsonArray("reservedFor").get(0).getAsJsonObject();
    }

    /** A claim that a pod may use, with one request for all of these devices. */
    static JsonObject allocated(String name, String... devices) {
        JsonArray results = new JsonArray();
        for (String device : devices) {
            JsonObject result = new JsonObject();
            result.addProperty("request", "vfs/first-choice");
            result.addProperty("driver", "edgeplug.io");
            result.addProperty("pool", "node1");
            result.addProperty("device", device);
            results.add(result);
        }
        JsonObject ofDevices = new JsonObject();
        ofDevices.add("results", results);
        JsonObject allocation = new JsonObject();
        allocation.add("devices", ofDevices);
        JsonObject pod = new JsonObject();
        pod.addProperty("resource", "pods");
        pod.addProperty("name", "pod-of-" + name);
        pod.addProperty("uid", "uid-of-pod-of-" + name);
        JsonArray reserved = new JsonArray();
        reserved.add(pod);
        JsonObject status = new JsonObject();
        status.add("allocation", allocation);
        status.add("reservedFor", reserved);
        JsonObject metadata = new JsonObject();
        metadata.addProperty("namespace", "default");
        metadata.addProperty("name", name);
        metadata.addProperty("uid", DraKubelet.claim(name).getUid());
        JsonObject claim = new JsonObject();
        claim.add("metadata", metadata);
        claim.add("status", status);
        return claim;
    }

    /** A claim for which the scheduler waits, because the slices said so of its devices. */
    static JsonObject awaited(String name, String... devices) {
        JsonObject claim = allocated(name, devices);
        for (JsonElement result : devices(claim).getAsJsonArray("results")) {
            result.getAsJsonObject().add("bindingConditions", JsonParser.parseString("[\"Ready\"]"));
            result.getAsJsonObject().add("bindingFailureConditions", JsonParser.parseString("[\"PreparationFailed\"]"));
        }
        Json.object(Json.object(claim, "status"), "allocation")
                .addProperty("allocationTimestamp", "2026-11-27T12:00:00Z");
        return claim;
    }

    /** The same claim once it was deallocated. */
    static JsonObject deallocated(String name) {
        JsonObject claim = allocated(name);
        claim.remove("status");
        return claim;
    }

    /**
     * A claim that consumes shares of a device, a request for each number.
     *
     * @param shares how many each request consumes, as the API server writes it
     */
    static JsonObject consuming(String name, String device, String... shares) {
        JsonObject claim =
                allocated(name, Collections.nCopies(shares.length, device).toArray(String[]::new));
        for (int i = 0; i < shares.length; i++) {
            JsonObject result = devices(claim).getAsJsonArray("results").get(i).getAsJsonObject();
            JsonObject consumed = new JsonObject();
            consumed.addProperty("shares", shares[i]);
            result.addProperty("request", "request-" + i);
            result.addProperty("shareID", share(name, i));
            result.add("consumedCapacity", consumed);
        }
        return claim;
    }

    /** The ID that the scheduler makes for what a request of a claim consumes. */
    static String share(String name, int request) {
        return UUID.nameUUIDFromBytes((name + request).getBytes(StandardCharsets.UTF_8))
                .toString();
    }

    /** The same for one device, with these configurations of it. */
    static JsonObject configured(String name, String device, JsonObject... configs) {
        JsonObject claim = allocated(name, device);
        JsonArray all = new JsonArray();
        for (JsonObject one : configs) {
            all.add(one);
        }
        devices(claim).add("config", all);
        return claim;
    }

    /** Parameters for these requests, a JSON array, which is empty for all of them. */
    static JsonObject config(String requests, String parameters) {
        JsonObject opaque = new JsonObject();
        opaque.addProperty("driver", "edgeplug.io");
        opaque.add("parameters", JsonParser.parseString(parameters));
        JsonObject config = new JsonObject();
        config.addProperty("source", "FromClaim");
        config.add("requests", JsonParser.parseString(requests));
        config.add("opaque", opaque);
        return config;
    }

    /** Parameters as a claim has them, with these fields. */
    static String parameters(String fields) {
        return "{\"apiVersion\":\"edgeplug.io/v1\",\"kind\":\"DeviceParameters\"," + fields + "}";
    }

    /** What the scheduler has allocated. */
    static JsonObject devices(JsonObject claim) {
        return Json.object(Json.object(Json.object(claim, "status"), "allocation"), "devices");
    }

    /** Its first device. */
    static JsonObject result(JsonObject claim) {
        return devices(claim).getAsJsonArray("results").get(0).getAsJsonObject();
    }
}
