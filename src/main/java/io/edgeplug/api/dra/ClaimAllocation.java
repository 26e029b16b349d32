package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.pods.PreparedClaims;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The devices of one driver that the scheduler has given to a claim.
 *
 * @param id names this allocation of the claim, which may be allocated anew after it was deallocated
 * @param podClaim the name that its pod has for the claim, if it was made from a template
 * @param pods the pods that may use them
 */
record ClaimAllocation(String id, Optional<String> podClaim, List<PreparedClaim.Pod> pods, List<Result> results) {

    /** The annotation of a claim that was made from a template. */
    static final String POD_CLAIM = "resource.kubernetes.io/pod-claim-name";

    private static final String PARAMETERS = "status/allocation/devices/config[]/opaque/parameters";

    private static final NeededFields FIELDS = new NeededFields(
            "metadata/uid",
            "metadata/annotations/" + POD_CLAIM,
            "status/reservedFor",
            "status/allocation/allocationTimestamp",
            "status/allocation/devices/results",
            "status/allocation/devices/config[]/requests",
            "status/allocation/devices/config[]/opaque/driver",
            PARAMETERS);

    /** How much memory the needed fields may take. */
    private static final int MAX_NEEDED = 1 << 20;

    /** A scheduler gives at most this many devices to a claim. */
    static final int MAX_RESULTS = 32;

    /** Kubernetes takes at most 32 configurations of the claim, and as many of device classes. */
    private static final int MAX_CONFIGS = 64;

    /** Kubernetes reserves a claim for at most this many pods. */
    private static final int MAX_PODS = 256;

    /** Files and CDI devices get these names, so each must be a DNS label. */
    private static final String LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";

    ClaimAllocation {
        pods = List.copyOf(pods);
        results = List.copyOf(results);
    }

    /**
     * A device that was given.
     *
     * @param asked the name of the request, with the alternative that was chosen after a slash
     * @param share by which the cluster tells the claims of one device apart
     * @param shares the number of its shares that the claim consumes; 1 if the device is no capacity
     * @param isForAdministrator whether the claim has admin access, so that it only looks at the device
     * @param parameters the settings of the claim and its DeviceClass for the device
     */
    record Result(
            String asked,
            String pool,
            String device,
            Optional<String> share,
            int shares,
            boolean isForAdministrator,
            List<JsonElement> parameters) {

        Result {
            parameters = List.copyOf(parameters);
        }

        /** The name of the request, without the alternative that was chosen. */
        String request() {
            return asked.replaceFirst("/.*", "");
        }
    }

    /** Whether a claim is prepared for this allocation. An earlier build noted only its devices. */
    boolean isOf(PreparedClaim noted) {
        return noted.allocation()
                .map(id::equals)
                .orElseGet(() -> noted.devices().stream()
                        .map(one -> List.of(one.request(), one.pool(), one.name(), one.share()))
                        .collect(Collectors.toSet())
                        .equals(results.stream()
                                .map(one -> List.of(one.request(), one.pool(), one.device(), one.share()))
                                .collect(Collectors.toSet())));
    }

    /** Reads the claim with that UID, and skips what is not needed: a pod's owner may have written a megabyte of labels. */
    static ApiReading<ClaimAllocation> reading(String uid, String driver, String pool) {
        // As much again is made of it.
        return ApiReading.json(
                2 * MAX_NEEDED,
                json -> of(
                        FIELDS.read(json, MAX_NEEDED, (path, before) -> isOwn(path, before, driver)),
                        uid,
                        driver,
                        pool));
    }

    /** The parameters of another driver are not needed. Kubernetes writes the name of the driver before them. */
    private static boolean isOwn(String path, JsonObject before, String driver) {
        return !path.equals(PARAMETERS)
                || !before.has("driver")
                || Json.text(before, "driver").equals(driver);
    }

    /**
     * Reads a claim of the API server.
     *
     * @throws IOException if it is not the claim that the kubelet means, or lacks something; the message is a clause
     */
    static ClaimAllocation of(JsonObject claim, String uid, String driver, String pool) throws IOException {
        String found = Json.text(Json.object(claim, "metadata"), "uid");
        if (!found.equals(uid)) {
            throw new IOException("it was deleted and made again: its UID is " + found + " now, not " + uid);
        }
        JsonObject status = Json.object(claim, "status");
        JsonObject allocation = Json.object(Json.object(status, "allocation"), "devices");
        if (!(allocation.get("results") instanceof JsonArray all)) {
            throw new IOException("no devices were allocated to it");
        }
        // Each result is matched with each config.
        if (all.size() > MAX_RESULTS || Json.objects(allocation, "config").count() > MAX_CONFIGS) {
            throw new IOException("its allocation is none of a scheduler's: it has more than " + MAX_RESULTS
                    + " devices, or more than " + MAX_CONFIGS + " configurations");
        }
        List<Result> results = new ArrayList<>();
        for (JsonObject one : Json.objects(allocation, "results").toList()) {
            if (Json.text(one, "driver").equals(driver)) {
                results.add(result(one, pool, allocation, driver));
            }
        }
        if (results.isEmpty()) {
            throw new IOException("no device of the driver " + driver + " was allocated to it");
        }
        if (Set.copyOf(results).size() < results.size()) {
            throw new IOException("its allocation is none of a scheduler's: it has a device twice");
        }
        return new ClaimAllocation(AllocatedClaim.id(status, driver), podClaim(claim), pods(status), results);
    }

    private static Optional<String> podClaim(JsonObject claim) throws IOException {
        String name = Json.text(Json.object(Json.object(claim, "metadata"), "annotations"), POD_CLAIM);
        if (!name.isEmpty() && !name.matches(LABEL)) {
            // It becomes a part of a path, and anybody who makes a claim can write it.
            throw new IOException("its annotation " + POD_CLAIM + " is no DNS label");
        }
        return Optional.of(name).filter(any -> !any.isEmpty());
    }

    private static Result result(JsonObject json, String pool, JsonObject allocation, String driver)
            throws IOException {
        String asked = Json.text(json, "request");
        Result result = new Result(
                asked,
                Json.text(json, "pool"),
                Json.text(json, "device"),
                Optional.of(Json.text(json, "shareID")).filter(share -> !share.isEmpty()),
                ShareCapacity.consumed(json),
                Json.text(json, "adminAccess").equals("true"),
                DeviceParameters.of(allocation, driver, asked));
        if (!result.pool().equals(pool)) {
            throw new IOException("its device " + result.device() + " is of the pool " + result.pool() + ", not of "
                    + pool + ", which is this node's");
        }
        // The alternative after a slash is a name of its own.
        if (!asked.matches(LABEL + "(/" + LABEL + ")?") || !result.device().matches(LABEL)) {
            throw new IOException("its allocation has a name that is no DNS label");
        }
        if (result.share().filter(share -> !PreparedClaims.isUid(share)).isPresent()) {
            throw new IOException("its allocation has a shareID that is no UID");
        }
        return result;
    }

    private static List<PreparedClaim.Pod> pods(JsonObject status) throws IOException {
        List<PreparedClaim.Pod> pods = Json.objects(status, "reservedFor")
                .filter(one -> Json.text(one, "resource").equals("pods"))
                .map(one -> new PreparedClaim.Pod(Json.text(one, "uid"), Json.text(one, "name")))
                .toList();
        if (pods.size() > MAX_PODS
                || !pods.stream()
                        .allMatch(pod ->
                                PreparedClaims.isUid(pod.uid()) && pod.name().length() <= Json.MAX_NAME)) {
            throw new IOException(
                    "it is reserved for more than " + MAX_PODS + " pods, or for one with an impossible name");
        }
        return pods;
    }
}
