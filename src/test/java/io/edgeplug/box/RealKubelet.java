package io.edgeplug.box;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The host's view of a kubelet as Kubernetes publishes it. The kubelet runs pods with containerd in the node. */
final class RealKubelet {

    /** The resources of src/test/kubelets/node/etc/edgeplug/edgeplug.toml. */
    static final String VFIO = "example.com/vfio";

    static final String NAMED = "example.com/named";
    static final String PREPARED = "example.com/prepared";
    static final String FAR = "example.com/far";
    static final String VF = "example.com/vf";

    /** The number of devices of each resource, as the kubelet logs it. */
    private static final Set<String> ALL = Set.of(
            "resource=\"example.com/far\" resourceCapacity=1",
            "resource=\"example.com/named\" resourceCapacity=1",
            "resource=\"example.com/prepared\" resourceCapacity=1",
            "resource=\"example.com/vf\" resourceCapacity=2",
            "resource=\"example.com/vfio\" resourceCapacity=1");

    /** A container in the node takes seconds to start, and minutes on a busy machine. */
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private static final String PODS = "busybox wget -q -O - http://127.0.0.1:10255/pods";

    /**
     * Prints the lists that the running kubelet has taken. Its checkpoint would not do: if lists come at the same time,
     * 1.37 may write the newest state first and an older one over it (writeCheckpoint in devicemanager/manager.go).
     */
    private static final String LISTS = "journalctl -q -b -o cat -u kubelet.service"
            + " _SYSTEMD_INVOCATION_ID=$(systemctl show -P InvocationID kubelet.service)"
            + " | grep -F \"State pushed for device plugin\""
            + " | grep -o \"resource=.example.com/[a-z]*. resourceCapacity=[0-9]*\" | sort -u";

    private final Node node;

    RealKubelet(Node node) {
        this.node = node;
    }

    /** The node that it runs on. */
    Node node() {
        return node;
    }

    /** Replaces the running kubelet, if any, by one of that release, and waits until it knows all devices. */
    void become(Release release) throws IOException, InterruptedException, TimeoutException {
        String file = "/usr/lib/kubelet/kubelet-" + release.minor();
        if (node.run("ls " + file + " || true").isEmpty()) {
            node.copy(release.kubelet(), file);
            node.run("chmod +x " + file);
        }
        node.run("ln -sf " + file + " /usr/lib/kubelet/kubelet");
        restart();
    }

    /** Restarts it and waits until it knows all devices. */
    void restart() throws IOException, InterruptedException, TimeoutException {
        node.run("systemctl restart kubelet.service");
        awaitAllDevices();
    }

    /** Waits until the kubelet has got the list of each resource since its start. */
    void awaitAllDevices() throws IOException, InterruptedException, TimeoutException {
        awaitLists(ALL);
    }

    /** Waits until the kubelet has logged these lists since its start, each as it writes it. */
    void awaitLists(Set<String> wanted) throws IOException, InterruptedException, TimeoutException {
        Set<String> ignored = await(
                LISTS,
                text -> Optional.of(text.lines().collect(Collectors.toSet()))
                        .filter(lists -> lists.containsAll(wanted)));
    }

    /** Gives it a pod. */
    void start(StaticPod pod) throws IOException, InterruptedException, TimeoutException {
        node.write("/etc/kubernetes/" + pod.name(), pod.manifest());
        // The kubelet must not read half a file.
        node.run("mv /etc/kubernetes/" + pod.name() + " /etc/kubernetes/manifests/" + pod.name() + ".json");
    }

    /** Waits until all containers of a pod run, and returns its status. */
    JsonObject awaitRunning(String pod) throws IOException, InterruptedException, TimeoutException {
        return awaitStatus(pod, RealKubelet::isRunning);
    }

    /** Whether all containers of a pod run. */
    static boolean isRunning(JsonObject status) {
        List<JsonObject> containers = containers(status);
        return !containers.isEmpty()
                && containers.stream()
                        .allMatch(it -> it.getAsJsonObject("state").has("running"));
    }

    /**
     * Waits until a pod's status is as wanted.
     *
     * @throws IOException if the kubelet has refused the pod, for good, and that is not what is wanted
     */
    JsonObject awaitStatus(String pod, Predicate<JsonObject> wanted)
            throws IOException, InterruptedException, TimeoutException {
        JsonObject status = await(PODS, text -> status(text, pod).filter(it -> wanted.test(it) || isRefused(it)));
        if (!wanted.test(status)) {
            throw new IOException(pod + " is refused: " + status);
        }
        return status;
    }

    /** Whether the kubelet has refused a pod for good. */
    static boolean isRefused(JsonObject status) {
        return status.has("reason") && status.get("phase").getAsString().equals("Failed");
    }

    /** The health of a pod's only device, as its status has it; empty if it has none. */
    static String health(JsonObject status) {
        return containers(status).stream()
                .filter(container -> container.has("allocatedResourcesStatus"))
                .flatMap(container -> container.getAsJsonArray("allocatedResourcesStatus").asList().stream())
                .flatMap(resource -> resource.getAsJsonObject().getAsJsonArray("resources").asList().stream())
                .map(JsonElement::getAsJsonObject)
                .map(device -> device.get("health").getAsString())
                .findFirst()
                .orElse("");
    }

    /** The status of each container of a pod, without init containers. */
    static List<JsonObject> containers(JsonObject status) {
        return status.has("containerStatuses")
                ? status.getAsJsonArray("containerStatuses").asList().stream()
                        .map(JsonElement::getAsJsonObject)
                        .toList()
                : List.of();
    }

    /** Ends a pod's only container, and returns the status once the next one runs in its place. */
    JsonObject killContainer(String pod, JsonObject before) throws IOException, InterruptedException, TimeoutException {
        return kill(runs(before).getFirst(), pod, before);
    }

    /** Ends what runs under that ID, of which the pod's containers end, and returns the status once others run. */
    JsonObject kill(String id, String pod, JsonObject before)
            throws IOException, InterruptedException, TimeoutException {
        node.run("ctr -n k8s.io tasks kill -s KILL " + id);
        return awaitStatus(pod, it -> isRunning(it) && !runs(it).equals(runs(before)));
    }

    /** The runs of its containers that a pod's status shows, as containerd names them. */
    static List<String> runs(JsonObject status) {
        return containers(status).stream()
                .map(container -> container.get("containerID").getAsString())
                .map(id -> id.substring(id.indexOf("//") + 2))
                .toList();
    }

    private static Optional<JsonObject> status(String pods, String pod) {
        // The kubelet answers nothing while it starts, and "null" if there are no pods.
        if (!pods.startsWith("{")
                || !JsonParser.parseString(pods).getAsJsonObject().get("items").isJsonArray()) {
            return Optional.empty();
        }
        return JsonParser.parseString(pods).getAsJsonObject().getAsJsonArray("items").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .filter(item -> item.getAsJsonObject("metadata")
                        .get("name")
                        .getAsString()
                        .equals(pod + "-node"))
                .map(item -> item.getAsJsonObject("status"))
                .findFirst();
    }

    /** The output of the newest run of a container. */
    String printed(String pod, String container) throws IOException, InterruptedException, TimeoutException {
        return node.run("cd /var/log/pods/default_" + pod + "-node_*/" + container
                + " && cut -d' ' -f4- $(ls | sort -n | tail -1)");
    }

    /** The IOMMU group of a function, which names its node of VFIO. */
    String group(String function) throws IOException, InterruptedException, TimeoutException {
        return node.run("basename $(readlink /sys/bus/pci/devices/" + function + "/iommu_group)");
    }

    private <T> T await(String command, Function<String, Optional<T>> wanted)
            throws IOException, InterruptedException, TimeoutException {
        Instant end = Instant.now().plus(PATIENCE);
        String text = "";
        while (Instant.now().isBefore(end)) {
            text = node.run("/usr/lib/kubelet/changed " + sum(text) + " '" + command + "'");
            Optional<T> found = wanted.apply(text);
            if (found.isPresent()) {
                return found.orElseThrow();
            }
        }
        throw new TimeoutException(command + " still prints: " + text);
    }

    private static String sum(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("MD5").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has MD5", e);
        }
    }
}
