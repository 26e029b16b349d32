package io.edgeplug.box;

import static org.assertj.core.api.Assumptions.assumeThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A cluster of one node. Kubelet, containerd and edgeplug run in the node, and everything else on this machine. The
 * node reaches this machine through an adapter that is plugged in for it.
 */
final class RealCluster implements AutoCloseable {

    static final String VF = "example.com/vf";
    static final String PLUGGED = "example.com/plugged";

    private static final Release RELEASE = Release.NEWEST;
    private static final Path FILES = Path.of("src/test/cluster");
    private static final Path LOGS = Path.of("target", "node");

    /** The address of src/test/cluster and of docs/dra.md. */
    private static final String SERVER = "192.0.2.10";

    /** The node that is about to join a cluster. */
    private static final String INSTALLED = "cluster";

    private static final String CONFIG = "/etc/edgeplug/edgeplug.toml";

    /** The one line with which pods claim the VFs. */
    private static final String CLAIM_VFS = "sed -i '/^resource = \"example.com\\/vf\"/a api = \"dra\"' ";

    private static final String DEVICE_CLASSES = "/root/device-classes";

    private final Node node;
    private final ControlPlane control;
    private final Path logs;

    private RealCluster(Node node, ControlPlane control, Path logs) {
        this.node = node;
        this.control = control;
        this.logs = logs;
    }

    /**
     * A new cluster which the node has joined, and which has the DeviceClasses of all resources.
     *
     * @param scenario the name of the directory in target/node that gets the logs of the cluster's programs
     */
    static RealCluster join(RealKubelets kubelets, String scenario)
            throws IOException, InterruptedException, TimeoutException {
        Optional<String> missing = ControlPlane.missing();
        if (missing.isPresent() && System.getenv(NodeInBox.MUST) != null) {
            throw new IllegalStateException(missing.orElseThrow());
        }
        assumeThat(missing).as(missing.orElse("")).isEmpty();
        Node node = kubelets.after(INSTALLED, RELEASE, RealCluster::install);
        RealCluster cluster = new RealCluster(node, ControlPlane.start(RELEASE), LOGS.resolve(scenario));
        try {
            cluster.connect();
            return cluster;
        } catch (IOException | TimeoutException e) {
            cluster.close();
            throw e;
        }
    }

    /** Makes the node one of a cluster, as docs/dra.md says, whose kubelet is not running yet. */
    private static void install(Node node) throws IOException, InterruptedException, TimeoutException {
        node.run("systemctl stop kubelet.service && rm -f /var/lib/kubelet/device-plugins/kubelet_internal_checkpoint");
        node.unpack("/", "-C", FILES.resolve("vfs").toString(), ".");
        node.unpack("/", "-C", FILES.resolve("node").toString(), "etc/cni");
        for (String commands : documented()) {
            node.run(commands);
        }
        node.run("cp -r /etc/edgeplug /run/copy && " + CLAIM_VFS + "/run/copy/edgeplug.toml");
        node.run("edgeplug dra device-class --config /run/copy/edgeplug.toml --no-example >" + DEVICE_CLASSES);
    }

    /** The commands of docs/dra.md for the service. */
    private static List<String> documented() throws IOException, InterruptedException {
        Path directory = Files.createTempDirectory("commands");
        String ignored = Release.print(
                "src/test/packages/readme",
                "-v",
                "directory=" + directory,
                "-v",
                "headings=What you need",
                "docs/dra.md");
        try (Stream<Path> files = Files.list(directory)) {
            List<Path> blocks = files.sorted().toList();
            String[] commands = new String[blocks.size()];
            for (int i = 0; i < commands.length; i++) {
                commands[i] = Files.readString(blocks.get(i));
                Files.delete(blocks.get(i));
            }
            return List.of(commands);
        } finally {
            Files.delete(directory);
        }
    }

    private void connect() throws IOException, InterruptedException, TimeoutException {
        setClock();
        node.plugNetwork(Card.network(), SERVER);
        node.unpack(
                "/etc/kubernetes",
                "-C",
                control.identities().toString(),
                "kubelet.conf",
                "pki/ca.crt",
                "pki/kubelet-client-current.pem");
        node.run("mkdir -p -m 700 /var/lib/kubelet/pki && mv /etc/kubernetes/pki/kubelet-client-current.pem"
                + " /var/lib/kubelet/pki/");
        node.run("systemctl daemon-reload && systemctl enable --now network.service");
        node.run("systemctl start kubelet.service");
        for (String yaml : node.run("cat " + DEVICE_CLASSES).split("\n---\n", -1)) {
            JsonObject ignored = api().create(ClusterApi.DEVICE_CLASSES, yaml);
        }
        awaitThat("the node is ready", "/api/v1/nodes", RealCluster::isReady);
        awaitThat("pods can be created", "/api/v1/namespaces/default/serviceaccounts", it -> true);
    }

    private void awaitThat(String what, String collection, Predicate<JsonObject> wanted)
            throws IOException, InterruptedException, TimeoutException {
        JsonObject ignored = awaitOne(what, collection, wanted);
    }

    private static boolean isReady(JsonObject node) {
        return node.getAsJsonObject("status").getAsJsonArray("conditions").asList().stream()
                .map(JsonElement::getAsJsonObject)
                .anyMatch(it -> it.get("type").getAsString().equals("Ready")
                        && it.get("status").getAsString().equals("True"));
    }

    /** A node that was saved has the time of that moment, at which the certificates are not valid yet. */
    private void setClock() throws IOException, InterruptedException, TimeoutException {
        Instant now = Instant.now();
        node.run("date -s @%d.%09d && busybox hwclock -u -w".formatted(now.getEpochSecond(), now.getNano()));
    }

    Node node() {
        return node;
    }

    ClusterApi api() {
        return control.api();
    }

    /** Writes the one line with which pods claim the VFs, and has edgeplug take it up. */
    void claimVfs() throws IOException, InterruptedException, TimeoutException {
        node.run(CLAIM_VFS + CONFIG);
        Installation.reload(node);
    }

    /** Boots the node in an orderly way. */
    void reboot() throws IOException, InterruptedException, TimeoutException {
        node.bootAnew();
        setClock();
    }

    /** Waits until one of the objects of a collection is as wanted, and returns it. */
    JsonObject awaitOne(String what, String collection, Predicate<JsonObject> wanted)
            throws IOException, InterruptedException, TimeoutException {
        return api().await(
                        what,
                        collection,
                        objects -> objects.stream().filter(wanted).findFirst());
    }

    /** Waits until a pod runs that has that label and is as wanted. */
    JsonObject awaitRunning(String app, Predicate<JsonObject> wanted)
            throws IOException, InterruptedException, TimeoutException {
        return awaitOne(
                "a pod of " + app + " runs",
                ClusterApi.PODS + "?labelSelector=app=" + app,
                pod -> isRunning(pod) && wanted.test(pod));
    }

    static boolean isRunning(JsonObject pod) {
        return !pod.getAsJsonObject("metadata").has("deletionTimestamp")
                && RealKubelet.isRunning(pod.getAsJsonObject("status"));
    }

    /** Waits until the slices have that device as wanted; a device that they do not have is an empty object. */
    void awaitDevice(String what, String device, Predicate<JsonObject> wanted)
            throws IOException, InterruptedException, TimeoutException {
        JsonObject ignored = api().await(
                        device + " " + what,
                        ClusterApi.SLICES,
                        slices -> Optional.of(device(slices, device)).filter(wanted));
    }

    private static JsonObject device(List<JsonObject> slices, String name) {
        return slices.stream()
                .map(slice -> slice.getAsJsonObject("spec"))
                .filter(spec -> spec.has("devices"))
                .flatMap(spec -> spec.getAsJsonArray("devices").asList().stream())
                .map(JsonElement::getAsJsonObject)
                .filter(device -> device.get("name").getAsString().equals(name))
                .findFirst()
                .orElse(new JsonObject());
    }

    /** Whether a device of a slice has a taint, as {@code held} and {@code NoSchedule}. */
    static boolean isTainted(JsonObject device, String taint, String effect) {
        return device.has("taints")
                && device.getAsJsonArray("taints").asList().stream()
                        .map(JsonElement::getAsJsonObject)
                        .anyMatch(it -> it.get("key").getAsString().equals("edgeplug.io/" + taint)
                                && it.get("effect").getAsString().equals(effect));
    }

    /** Whether the slices have a device, and the scheduler may give it to a claim. */
    static boolean isOffered(JsonObject device) {
        return device.has("name") && !device.has("taints");
    }

    /** The names of the devices that a claim has. */
    List<String> allocated(String claim) throws IOException, InterruptedException {
        return api()
                .read(ClusterApi.CLAIMS + "/" + claim)
                .getAsJsonObject("status")
                .getAsJsonObject("allocation")
                .getAsJsonObject("devices")
                .getAsJsonArray("results")
                .asList()
                .stream()
                .map(result -> result.getAsJsonObject().get("device").getAsString())
                .toList();
    }

    /** What the newest run of a pod's container has printed. */
    List<String> printed(JsonObject pod) throws IOException, InterruptedException, TimeoutException {
        return node.run("cd /var/log/pods/default_" + ClusterPod.name(pod) + "_*/main && file=$(ls | sort -n | tail -1)"
                        + " && timeout 120 sh -c 'until grep -q \"" + ClusterPod.END + "\" '$file'; do sleep 0.2; done'"
                        + " && cut -d' ' -f4- $file")
                .lines()
                .toList();
    }

    /** Ends the cluster. Its logs stay. */
    @Override
    public void close() throws IOException {
        Files.createDirectories(logs);
        try (Stream<Path> files = Files.list(control.logs())) {
            for (Path file : files.toList()) {
                Files.copy(file, logs.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            }
        } finally {
            control.close();
        }
    }
}
