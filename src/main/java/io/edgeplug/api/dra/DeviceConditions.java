package io.edgeplug.api.dra;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.edgeplug.api.dra.AllocatedClaim.Condition;
import io.edgeplug.api.dra.AllocatedClaim.Given;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.system.kernel.PlainText;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The conditions that the status of a claim should have.
 *
 * @param allocation the one that they are about; empty if that is not known
 * @param all of each device, by the type of the condition
 * @param networks what it should also say of network interfaces. If others say something of further devices, that stays
 */
record DeviceConditions(
        Optional<String> allocation,
        Map<AllocatedClaim.Key, Map<String, Condition>> all,
        Map<AllocatedClaim.Key, NetworkData> networks) {

    /** The condition for which the scheduler waits. Kubernetes says what it means. */
    static final String READY = "Ready";

    /** The condition after which the scheduler looks for another device. */
    static final String FAILED = "PreparationFailed";

    private static final String HEALTHY = "Healthy";

    /** All that the driver writes. */
    static final Set<String> TYPES = Set.of(READY, FAILED, HEALTHY);

    /** Kubernetes takes more, but a person reads it. */
    private static final int MAX_TEXT = 512;

    DeviceConditions {
        all = Map.copyOf(all);
        networks = Map.copyOf(networks);
    }

    /**
     * Those of a claim that is prepared.
     *
     * @param problems by the name of a device, what is wrong with it; empty if nothing is
     */
    static DeviceConditions ready(
            PreparedClaim claim, Map<AllocatedClaim.Key, NetworkData> networks, Map<String, String> problems) {
        Map<String, Condition> told = Map.of(READY, new Condition(true, "Prepared", ""));
        return new DeviceConditions(claim.allocation(), each(keys(claim), told, problems), networks);
    }

    /** Those of a claim that could not be prepared for the kubelet, which tries again. */
    static DeviceConditions notReady(PreparedClaim claim, String reason, Map<String, String> problems) {
        Map<String, Condition> told = Map.of(READY, new Condition(false, FAILED, PlainText.start(reason, MAX_TEXT)));
        return new DeviceConditions(claim.allocation(), each(keys(claim), told, problems), Map.of());
    }

    private static Stream<AllocatedClaim.Key> keys(PreparedClaim claim) {
        return claim.devices().stream().map(AllocatedClaim.Key::of);
    }

    /** Those of a claim that could not be prepared before its pod was bound. */
    static DeviceConditions failed(AllocatedClaim claim, String reason, Map<String, String> problems) {
        String text = PlainText.start(reason, MAX_TEXT);
        Map<String, Condition> told =
                Map.of(READY, new Condition(false, FAILED, text), FAILED, new Condition(true, FAILED, text));
        Stream<AllocatedClaim.Key> devices = claim.devices().stream().map(Given::key);
        return new DeviceConditions(Optional.of(claim.allocation()), each(devices, told, problems), Map.of());
    }

    /** These conditions of each device, and whether it is healthy. */
    private static Map<AllocatedClaim.Key, Map<String, Condition>> each(
            Stream<AllocatedClaim.Key> devices, Map<String, Condition> told, Map<String, String> problems) {
        Map<AllocatedClaim.Key, Map<String, Condition>> all = new HashMap<>();
        devices.forEach(device -> {
            String problem = problems.getOrDefault(device.device(), "");
            Map<String, Condition> conditions = new TreeMap<>(told);
            conditions.put(
                    HEALTHY,
                    problem.isEmpty()
                            ? new Condition(true, HEALTHY, "")
                            : new Condition(false, "Unhealthy", PlainText.start(problem, MAX_TEXT)));
            all.put(device, conditions);
        });
        return all;
    }

    /**
     * Those of devices that the claim has. The API server refuses the status of others. None if it was allocated anew: the
     * scheduler would believe that this allocation is prepared.
     */
    DeviceConditions of(AllocatedClaim claim) {
        if (allocation.filter(one -> !one.equals(claim.allocation())).isPresent()) {
            return new DeviceConditions(allocation, Map.of(), Map.of());
        }
        List<AllocatedClaim.Key> keys = claim.devices().stream().map(Given::key).toList();
        return new DeviceConditions(
                allocation,
                all.entrySet().stream()
                        .filter(one -> keys.contains(one.getKey()))
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)),
                networks);
    }

    /** Whether the claim has them already. */
    boolean areThoseOf(AllocatedClaim claim) {
        return claim.devices().stream()
                .allMatch(one -> one.conditions().equals(all.getOrDefault(one.key(), one.conditions()))
                        && one.network().equals(networks.getOrDefault(one.key(), one.network())));
    }

    /**
     * The driver's part of the claim, for the API server, which refuses it if the claim has another UID now.
     *
     * @param claim as the API server has it
     */
    JsonObject status(AllocatedClaim claim, String driver) {
        JsonArray devices = new JsonArray();
        Set<AllocatedClaim.Key> done = new HashSet<>();
        for (Given one : claim.devices()) {
            Map<String, Condition> conditions = all.get(one.key());
            // Two requests may have one device, if one of them only looks at it.
            if (conditions != null && done.add(one.key())) {
                AllocatedClaim.Key key = one.key();
                JsonObject device = Json.of("driver", driver, "pool", key.pool(), "device", key.device());
                if (!key.share().isEmpty()) {
                    device.addProperty("shareID", key.share());
                }
                JsonArray told = new JsonArray();
                conditions.forEach((type, condition) -> told.add(json(type, condition, one)));
                device.add("conditions", told);
                networks.getOrDefault(key, NetworkData.NONE).addTo(device);
                devices.add(device);
            }
        }
        Claims.Name name = claim.name();
        JsonObject metadata = Json.of("namespace", name.namespace(), "name", name.name(), "uid", name.uid());
        JsonObject status = Json.of("devices", devices);
        return Json.of(
                "apiVersion", "resource.k8s.io/v1", "kind", "ResourceClaim", "metadata", metadata, "status", status);
    }

    private static JsonObject json(String type, Condition condition, Given before) {
        Condition last = before.conditions().get(type);
        String since = before.since().get(type);
        boolean isAsBefore = last != null && last.isTrue() == condition.isTrue() && since != null;
        return Json.of(
                "type",
                type,
                "status",
                condition.isTrue() ? "True" : "False",
                "reason",
                condition.reason(),
                "message",
                condition.message(),
                "lastTransitionTime",
                isAsBefore
                        ? String.valueOf(since)
                        : Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
    }
}
