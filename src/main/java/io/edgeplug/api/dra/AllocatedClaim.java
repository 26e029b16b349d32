package io.edgeplug.api.dra;

import com.google.gson.JsonObject;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.system.files.ForeignJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A claim on the API server, as far as this node has to do with it.
 *
 * @param version its {@code resourceVersion}
 * @param allocation names the allocation, see {@link ClaimAllocation#id()}
 * @param devices the devices of this node that were allocated to it; none if it is another node's or deallocated
 */
record AllocatedClaim(Claims.Name name, String version, String allocation, List<Given> devices) {

    /** The needed fields. */
    private static final List<String> FIELDS = List.of(
            "metadata/namespace",
            "metadata/name",
            "metadata/uid",
            "metadata/resourceVersion",
            "status/allocation/allocationTimestamp",
            "status/allocation/devices/results[]/request",
            "status/allocation/devices/results[]/driver",
            "status/allocation/devices/results[]/pool",
            "status/allocation/devices/results[]/device",
            "status/allocation/devices/results[]/shareID",
            "status/allocation/devices/results[]/bindingConditions",
            "status/devices[]/driver",
            "status/devices[]/pool",
            "status/devices[]/device",
            "status/devices[]/shareID",
            "status/devices[]/conditions",
            "status/devices[]/networkData");

    /** How much memory these may take. The status of 32 devices takes half of it. */
    static final int MAX_NEEDED = 512 << 10;

    /** The names of these take less. */
    private static final int MAX_ALLOCATION = 16 << 10;

    /** What this driver writes is shorter. */
    private static final int MAX_TEXT = 1024;

    private static final String NUMBER = "\\d{1,18}";
    private static final Pattern TOLD = Pattern.compile(".*status/devices\\[]/(?:conditions|networkData)");

    AllocatedClaim {
        devices = List.copyOf(devices);
    }

    /** A device as a claim names it. */
    record Key(String pool, String device, String share) {

        static Key of(PreparedClaim.Device device) {
            return new Key(device.pool(), device.name(), device.share().orElse(""));
        }

        private static Key of(JsonObject json) {
            return new Key(Json.text(json, "pool"), Json.text(json, "device"), Json.text(json, "shareID"));
        }
    }

    /** A condition of a device in the status of a claim, without the time of its last change. */
    record Condition(boolean isTrue, String reason, String message) {}

    /**
     * A device of a claim.
     *
     * @param isAwaited whether the scheduler binds the pod only once the status says that the device is ready
     * @param conditions what the status says of it, by the type of the condition
     * @param since when each of these has changed, in the words of the API server
     * @param network what the status says of its network interface
     */
    record Given(
            Key key,
            boolean isAwaited,
            Map<String, Condition> conditions,
            Map<String, String> since,
            NetworkData network) {

        Given {
            conditions = Map.copyOf(conditions);
            since = Map.copyOf(since);
        }

        private boolean isTrue(String type) {
            Condition condition = conditions.get(type);
            return condition != null && condition.isTrue();
        }

        private int size() {
            return network.size()
                    + conditions.values().stream()
                            .mapToInt(
                                    one -> one.reason().length() + one.message().length())
                            .sum();
        }
    }

    /** Whether the scheduler waits for this node, and was not answered yet. */
    boolean isWaiting() {
        return devices.stream().anyMatch(one -> one.isAwaited() && !one.isTrue(DeviceConditions.READY)) && !hasFailed();
    }

    /** Whether the scheduler was told that a device could not be prepared. */
    boolean hasFailed() {
        return devices.stream().anyMatch(one -> one.isTrue(DeviceConditions.FAILED));
    }

    /** Whether this is no older than what is known of the same claim. Versions of one server are rising numbers. */
    boolean isAsNewAs(AllocatedClaim known) {
        return !version.matches(NUMBER)
                || !known.version.matches(NUMBER)
                || Long.parseLong(version) >= Long.parseLong(known.version);
    }

    /** About how many characters it has. */
    int size() {
        return allocation.length() + devices.stream().mapToInt(Given::size).sum();
    }

    /** The same once it has no devices of this node any more. */
    AllocatedClaim without() {
        return new AllocatedClaim(name, version, "", List.of());
    }

    /** Names an allocation of devices of a driver, so that a later one for the same claim has another name. */
    static String id(JsonObject status, String driver) {
        JsonObject allocation = Json.object(status, "allocation");
        return Json.objects(Json.object(allocation, "devices"), "results")
                .filter(one -> Json.text(one, "driver").equals(driver))
                .map(one -> {
                    Key key = Key.of(one);
                    return Json.text(one, "request") + "=" + key.pool() + "/" + key.device()
                            + (key.share().isEmpty() ? "" : "/" + key.share());
                })
                .collect(Collectors.joining(" ", Json.text(allocation, "allocationTimestamp") + " ", ""));
    }

    /** Reads one claim. */
    static ApiReading<AllocatedClaim> reading(String driver, String pool) {
        return ApiReading.json(
                2 * MAX_NEEDED, json -> of(fields("").read(json, MAX_NEEDED, own(driver)), driver, pool));
    }

    /** The fields of claims that are behind that path. */
    static NeededFields fields(String path, String... others) {
        return new NeededFields(Stream.concat(Stream.of(others), FIELDS.stream().map(field -> path + field))
                .toArray(String[]::new));
    }

    /** What is said of another driver's device is not needed. Kubernetes writes the name of the driver before them. */
    static BiPredicate<String, JsonObject> own(String driver) {
        return (path, before) ->
                !TOLD.matcher(path).matches() || Json.text(before, "driver").equals(driver);
    }

    /**
     * Of the JSON of a claim.
     *
     * @throws IOException if it is no claim of Kubernetes
     */
    static AllocatedClaim of(JsonObject claim, String driver, String pool) throws IOException {
        JsonObject metadata = Json.object(claim, "metadata");
        String version = Json.text(metadata, "resourceVersion");
        Claims.Name name = new Claims.Name(
                Json.text(metadata, "namespace"), Json.text(metadata, "name"), Json.text(metadata, "uid"));
        if (!PreparedClaims.isUid(name.uid())
                || Stream.of(name.namespace(), name.name(), version)
                        .anyMatch(text -> text.isEmpty() || text.length() > Json.MAX_NAME)) {
            throw new IOException("the API server names a claim in another way than Kubernetes does");
        }
        JsonObject status = Json.object(claim, "status");
        String id = id(status, driver);
        JsonObject allocation = Json.object(Json.object(status, "allocation"), "devices");
        Map<Key, JsonObject> told = Json.objects(status, "devices")
                .filter(one -> Json.text(one, "driver").equals(driver))
                .collect(Collectors.toMap(Key::of, one -> one, (first, second) -> first));
        List<Given> devices = Json.objects(allocation, "results")
                .filter(one -> Json.text(one, "driver").equals(driver)
                        && Json.text(one, "pool").equals(pool))
                .map(one -> given(one, told.getOrDefault(Key.of(one), new JsonObject())))
                .toList();
        if (devices.size() > ClaimAllocation.MAX_RESULTS || id.length() > MAX_ALLOCATION) {
            throw new IOException(
                    "claim " + name + " has an allocation that is none of a scheduler's: it has more than "
                            + ClaimAllocation.MAX_RESULTS + " devices, or a name that is too long");
        }
        return new AllocatedClaim(name, version, id, devices);
    }

    private static Given given(JsonObject result, JsonObject told) {
        return new Given(
                Key.of(result),
                Json.texts(result, "bindingConditions").anyMatch(DeviceConditions.READY::equals),
                byType(
                        told,
                        one -> new Condition(
                                Json.text(one, "status").equals("True"),
                                Json.text(one, "reason", MAX_TEXT),
                                Json.text(one, "message", MAX_TEXT))),
                byType(told, one -> Json.text(one, "lastTransitionTime", MAX_TEXT)),
                NetworkData.read(told));
    }

    /** Something of each condition that this driver writes. Those of others stay as they are. */
    private static <T> Map<String, T> byType(JsonObject told, Function<JsonObject, T> value) {
        return Json.objects(told, "conditions")
                .filter(one -> DeviceConditions.TYPES.contains(Json.text(one, "type")))
                .collect(Collectors.toMap(one -> Json.text(one, "type"), value, (first, second) -> first));
    }

    /** A page of the list of all claims. */
    record Page(String version, String next, List<AllocatedClaim> claims) {

        /** One answer has so many at the most, because they may be large. */
        private static final int MOST = 100;

        Page {
            claims = List.copyOf(claims);
        }

        /** All claims of the cluster with devices of this node, as one page, but no more than are kept. */
        static Page all(ApiServer api, String driver) throws IOException, InterruptedException {
            List<AllocatedClaim> all = new ArrayList<>();
            int size = 0;
            Page page = new Page("", "", List.of());
            do {
                page = api.ask(ApiRequest.claims(MOST, page.next()), reading(driver, api.nodeName()));
                for (AllocatedClaim claim : page.claims()) {
                    size += claim.size();
                    if (all.size() < AwaitedClaims.MAX_CLAIMS && size <= AwaitedClaims.MAX_KEPT) {
                        all.add(claim);
                    }
                }
            } while (!page.next().isEmpty() && all.size() < AwaitedClaims.MAX_CLAIMS && size <= AwaitedClaims.MAX_KEPT);
            return new Page(page.version(), "", all);
        }

        /** Reads one claim after the other, and keeps those with devices of this node. */
        static ApiReading<Page> reading(String driver, String pool) {
            return ApiReading.pages(2 * MAX_NEEDED, json -> read(json, driver, pool));
        }

        private static Page read(ForeignJson json, String driver, String pool) throws IOException {
            List<AllocatedClaim> claims = new ArrayList<>();
            NeededFields fields = fields("");
            JsonObject metadata = ApiReading.list(json, () -> {
                AllocatedClaim claim = of(fields.read(json, MAX_NEEDED, own(driver)), driver, pool);
                if (!claim.devices().isEmpty() && claims.size() < AwaitedClaims.MAX_CLAIMS) {
                    claims.add(claim);
                }
            });
            return new Page(Json.text(metadata, "resourceVersion"), Json.text(metadata, "continue"), claims);
        }
    }
}
