package io.edgeplug.api.dra;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.api.kubelet.DevicePlugins;
import io.edgeplug.api.status.NodeStatus;
import io.edgeplug.api.status.NodeStatus.KubeletStatus;
import io.edgeplug.api.status.NodeView;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.custody.Hold;
import io.edgeplug.node.container.ContainerDirectories;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.pods.KubeletPods;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.supply.Preparations;
import io.edgeplug.node.supply.Supplies;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A simulated node whose VFs are claimed, with a small API server and a {@link DraKubelet}. */
final class DraNode implements AutoCloseable {

    static final Duration PATIENCE = Duration.ofSeconds(20);
    static final String VF0 = "0000:3b:01.0";
    static final String VF0_NAME = "0000-3b-01-0";
    static final String VF1 = "0000:3b:01.1";
    static final String VF1_NAME = "0000-3b-01-1";
    static final String RESET = VF0 + " reset by flr";

    static final String CLASSES = """
            [[class]]
            resource = "example.com/vf"
            kind = "vf"
            api = "dra"
            [class.match]
            pf_names = ["ens1f0"]
            [class.prepare]
            driver = "vfio-pci"
            """;

    final SimulatedNode node;
    final StrictApiServer server;
    final DraKubelet kubelet;
    private final Path directory;
    private final Closing closing = new Closing();
    private final Closing daemon = new Closing();

    /** The parts that a reload closes and opens again. */
    private final Closing serving = new Closing();

    private Config config;
    private Optional<Opened> opened = Optional.empty();

    /** The parts that run. Monitor and preparations outlive a reload. */
    private record Opened(
            Monitor monitor, Preparations preparations, Supplies supplies, KubeletPods pods, DraDriver driver) {}

    private DraNode(Path directory, StrictApiServer server, SimulatedNode node, Config config) throws IOException {
        this.directory = directory;
        this.server = closing.add(server);
        this.node = closing.add(node);
        this.kubelet = closing.add(DraKubelet.open(directory));
        this.config = config;
    }

    static DraNode open(Path directory) throws Exception {
        return open(directory, CLASSES);
    }

    static DraNode open(Path directory, String classes) throws Exception {
        return open(directory, DemoNode.tree(), classes);
    }

    /** A node with other hardware. */
    static DraNode open(Path directory, String tree, String classes) throws Exception {
        return open(directory, tree, classes, server -> {});
    }

    /** The same with an API server of another kind, or one that allows more. */
    static DraNode open(Path directory, String tree, String classes, Consumer<ApiObjects> gates) throws Exception {
        Path file = Files.writeString(directory.resolve("edgeplug.toml"), classes);
        Files.createDirectories(directory.resolve("plugins"));
        Files.createDirectories(directory.resolve("plugins_registry"));
        Files.createDirectories(directory.resolve("device-plugins"));
        Files.createDirectories(directory.resolve("cgroup/kubepods"));
        StrictApiServer server = StrictApiServer.open();
        server.gate(gates);
        Path ignored = TestIdentity.write(directory, server.port(), TestIdentity.NODE1);
        DraNode made = new DraNode(
                directory, server, SimulatedNode.unpack(tree, directory.resolve("node")), ConfigFiles.read(file));
        made.startDaemon();
        return made;
    }

    /** Starts the driver as the daemon does. */
    void startDaemon() throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        Monitor monitor = daemon.add(Monitor.open(node.sysfs(), config.classes(), node.uevents(), config.settle()));
        Preparations preparations = daemon.add(new Preparations(node.sysfs(), monitor, kubeletDir));
        preparations.recover();
        serve(monitor, preparations);
    }

    private void serve(Monitor monitor, Preparations preparations) throws Exception {
        Path kubeletDir = directory.resolve("device-plugins");
        Supplies supplies = serving.add(
                new Supplies(node.sysfs(), ContainerDirectories.below(directory), monitor, config.classes()));
        PreparedClaims claims = PreparedClaims.read(claims());
        DevicePlugins plugins =
                serving.add(new DevicePlugins(null, kubeletDir, directory, supplies, preparations, claims));
        DraDriver driver = serving.add(new DraDriver(place(), supplies, preparations, claims, plugins.custody()));
        opened = Optional.of(new Opened(monitor, preparations, supplies, plugins.pods(), driver));
    }

    private DraDriver.Place place() {
        return new DraDriver.Place(
                "edgeplug.io",
                Optional.empty(),
                Optional.of(directory.resolve("kubelet.conf")),
                directory.resolve("device-plugins"),
                directory,
                directory.resolve("plugins_registry"),
                directory.resolve("cdi"),
                directory.resolve("run/boot"),
                directory.resolve("cgroup"));
    }

    /** Makes or removes the cgroup of a pod, as the kubelet does at its start and its end. */
    void runs(String pod, boolean does) throws IOException {
        Path cgroup = directory.resolve("cgroup/kubepods/pod" + pod);
        if (does) {
            Files.createDirectories(cgroup);
        } else {
            Files.delete(cgroup);
        }
    }

    /** Does what the daemon does when it starts with a configuration without claims. */
    void giveBackAhead() throws Exception {
        DraDriver.giveBackAhead(
                place(), PreparedClaims.read(claims()), opened.orElseThrow().supplies());
    }

    DraDriver driver() {
        return opened.orElseThrow().driver();
    }

    Custody custody(String id) {
        return opened.orElseThrow().monitor().custodian().of(id);
    }

    /** The possible holder of a device, as far as the daemon knows. */
    Optional<Hold> holder(String id) {
        return custody(id).holder();
    }

    /** The status of the daemon. */
    NodeStatus status() {
        Opened now = opened.orElseThrow();
        return new NodeView(
                        now.supplies(),
                        now.preparations(),
                        () -> new KubeletStatus(Optional.empty(), Set.of(), Map.of()),
                        Optional::empty)
                .read();
    }

    /** Reloads as the daemon does for a configuration with other sockets, while preparations go on. */
    void reload() throws Exception {
        serving.close();
        opened.orElseThrow().monitor().use(config.classes());
        serve(opened.orElseThrow().monitor(), opened.orElseThrow().preparations());
    }

    /** What a driver offers that was just opened, and that keeps devices that have failed from claims for that long. */
    Offers offers(Duration unfit) throws Exception {
        Supplies supplies = opened.orElseThrow().supplies();
        return new Offers(
                supplies.each().stream().toList(),
                supplies,
                PreparedClaims.read(claims()),
                new KeptFields("edgeplug.io"),
                () -> true,
                unfit);
    }

    /** Changes the configuration, for the next reload or start of the daemon. */
    void configure(String classes) throws Exception {
        config = ConfigFiles.read(Files.writeString(directory.resolve("edgeplug.toml"), classes));
    }

    /** Ends the daemon. Its sockets are gone then. */
    void stopDaemon() throws Exception {
        serving.close();
        daemon.close();
    }

    Path claims() {
        return directory.resolve("claims");
    }

    /** Removes what the node loses in a boot. */
    void loseWhatABootTakes() throws Exception {
        Files.deleteIfExists(directory.resolve("run/boot"));
        Path cdi = directory.resolve("cdi");
        for (String file : Files.isDirectory(cdi)
                ? List.of(Objects.requireNonNull(cdi.toFile().list()))
                : List.<String>of()) {
            Files.delete(cdi.resolve(file));
        }
    }

    /** The names of the files in which the container runtime finds claims. */
    List<String> specifications() throws Exception {
        Path cdi = directory.resolve("cdi");
        if (!Files.isDirectory(cdi)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(cdi)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith("edgeplug-claim_"))
                    .sorted()
                    .toList();
        }
    }

    String specification(String name) throws Exception {
        return Files.readString(
                directory.resolve("cdi/edgeplug-claim_" + DraKubelet.claim(name).getUid() + ".json"));
    }

    /** Gives devices of this node to a claim, as the scheduler does. A pod may use the claim. */
    void allocate(String name, String... devices) {
        server.put(TestClaims.allocated(name, devices));
    }

    @Override
    public void close() throws Exception {
        stopDaemon();
        closing.close();
    }
}
