package io.edgeplug.box;

import com.google.gson.Gson;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonSyntaxException;
import io.edgeplug.lab.localkubelet.ListedDevice;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;

/** The host's end of the kubelet in the node. It has the devices that the kubelet was told of, and admits pods. */
final class NodeKubelet {

    /**
     * What a kubelet was told.
     *
     * @param devices those of each resource, as {@link #awaitDevices} takes them
     * @param endpoints the socket of each resource
     */
    record Knowledge(Map<String, List<String>> devices, Map<String, String> endpoints) {
        static final Knowledge NONE = new Knowledge(Map.of(), Map.of());
    }

    private final Gson gson = new Gson();
    private final LineSocket socket;
    private final Duration patience;
    private final Map<String, List<String>> devices = new TreeMap<>();
    private final Map<String, List<List<String>>> told = new TreeMap<>();
    private final Map<String, String> endpoints = new TreeMap<>();
    private final List<JsonObject> events = new ArrayList<>();

    /** Starts with what the kubelet knew at the moment to which the node is reset. */
    NodeKubelet(LineSocket socket, Duration patience, Knowledge knowledge) {
        this.socket = socket;
        this.patience = patience;
        devices.putAll(knowledge.devices);
        endpoints.putAll(knowledge.endpoints);
    }

    Knowledge knowledge() {
        return new Knowledge(Map.copyOf(devices), Map.copyOf(endpoints));
    }

    /** Forgets the events so far, so that only later ones are awaited. */
    void forget() {
        events.clear();
        told.clear();
    }

    /** The lists of a resource since {@link #forget}. Lists are read only while something is awaited. */
    List<List<String>> told(String resource) {
        return List.copyOf(told.getOrDefault(resource, List.of()));
    }

    /** Waits until a resource has exactly these devices, each as {@link ListedDevice#toString} has it. */
    void awaitDevices(String resource, String... wanted) throws IOException, InterruptedException, TimeoutException {
        awaitDevicesWithin(patience, resource, wanted);
    }

    /** The same within a shorter time, so that a scan that finds the devices later does not count. */
    void awaitDevicesWithin(Duration deadline, String resource, String... wanted)
            throws IOException, InterruptedException, TimeoutException {
        List<String> all = List.of(wanted);
        Instant end = Instant.now().plus(deadline);
        while (!all.equals(devices.get(resource))) {
            try {
                take(Duration.between(Instant.now(), end));
            } catch (TimeoutException e) {
                throw new TimeoutException(resource + ": wanted " + all + ", but it is " + devices.get(resource));
            }
        }
    }

    /** Waits until the plugin of a resource has hung up. */
    void awaitEnd(String resource) throws IOException, InterruptedException, TimeoutException {
        await(event -> is(event, "StreamEnded") && text(event, "resource").equals(resource));
    }

    /** Waits until a kubelet has started. It knows nothing of what an earlier one was told. */
    void awaitServing() throws IOException, InterruptedException, TimeoutException {
        await(event -> is(event, "Serving"));
    }

    /** Acts on plugins like a kubelet that is restarted. */
    void restart() throws IOException, InterruptedException, TimeoutException {
        forget();
        socket.send("restart");
        awaitServing();
    }

    /** Admits a pod, waits until its container has started, and returns what the kubelet says that it got. */
    JsonObject run(String pod, String limits) throws IOException, InterruptedException, TimeoutException {
        JsonObject event = admit(pod, limits);
        if (!is(event, "Started")) {
            throw new IOException("the pod's container has not started: " + event);
        }
        return event.getAsJsonObject("allocation");
    }

    /** A variable of the container that was started with that. */
    static String variable(JsonObject allocation, String name) {
        return allocation.getAsJsonObject("envs").get(name).getAsString();
    }

    /** Admits a pod and waits until its container has started or the kubelet says why not. */
    JsonObject admit(String pod, String limits) throws IOException, InterruptedException, TimeoutException {
        socket.send("run " + pod + " " + limits);
        return outcome(pod);
    }

    JsonObject start(String pod) throws IOException, InterruptedException, TimeoutException {
        socket.send("start " + pod);
        return outcome(pod);
    }

    void remove(String pod) throws IOException, InterruptedException, TimeoutException {
        socket.send("remove " + pod);
        await(event -> is(event, "PodRemoved") && event.get("pod").getAsString().equals(pod));
    }

    private JsonObject outcome(String pod) throws IOException, InterruptedException, TimeoutException {
        return await(event -> event.has("pod")
                && event.get("pod").getAsString().equals(pod)
                && (is(event, "Started")
                        || is(event, "AllocationFailed")
                        || is(event, "AlignmentFailed")
                        || is(event, "PreStartFailed")));
    }

    static boolean is(JsonObject event, String name) {
        return event.get("event").getAsString().equals(name);
    }

    /** The next event that is as wanted, including earlier ones that nobody awaited. */
    JsonObject await(Predicate<JsonObject> wanted) throws IOException, InterruptedException, TimeoutException {
        Instant end = Instant.now().plus(patience);
        while (true) {
            for (JsonObject event : List.copyOf(events)) {
                events.remove(event);
                if (wanted.test(event)) {
                    return event;
                }
            }
            take(Duration.between(Instant.now(), end));
        }
    }

    private void take(Duration left) throws IOException, InterruptedException, TimeoutException {
        String line = socket.next(left);
        JsonElement element;
        try {
            element = JsonParser.parseString(line);
        } catch (JsonParseException e) {
            // A kubelet was killed while it wrote this line.
            return;
        }
        if (element.isJsonObject()) {
            events.add(element.getAsJsonObject());
            follow(element.getAsJsonObject());
        }
    }

    private void follow(JsonObject event) throws JsonSyntaxException {
        switch (event.get("event").getAsString()) {
            case "Serving" -> {
                devices.clear();
                endpoints.clear();
            }
            case "Registered" -> endpoints.put(text(event, "resource"), text(event, "endpoint"));
            case "DeviceList" -> {
                devices.put(text(event, "resource"), texts(event));
                told.computeIfAbsent(text(event, "resource"), any -> new ArrayList<>())
                        .add(texts(event));
            }
            case "StreamEnded" -> {
                if (text(event, "endpoint").equals(endpoints.get(text(event, "resource")))) {
                    devices.remove(text(event, "resource"));
                }
            }
            default -> {}
        }
    }

    private List<String> texts(JsonObject event) {
        return event.getAsJsonArray("devices").asList().stream()
                .map(device -> gson.fromJson(device, ListedDevice.class).toString())
                .sorted()
                .toList();
    }

    private static String text(JsonObject event, String field) {
        return event.get(field).getAsString();
    }
}
