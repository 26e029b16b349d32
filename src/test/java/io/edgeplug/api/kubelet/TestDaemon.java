package io.edgeplug.api.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.status.NodeStatus.KubeletStatus;
import io.edgeplug.api.status.NodeView;
import io.edgeplug.lab.localkubelet.ListedDevice;
import io.edgeplug.lab.localkubelet.ResourceState;
import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.ContainerDirectories;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.pods.PreparedClaims;
import io.edgeplug.node.supply.Preparations;
import io.edgeplug.node.supply.Resource;
import io.edgeplug.node.supply.Supplies;
import io.edgeplug.node.supply.Supply;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;

/** The daemon's parts on a simulated node, as {@code run} wires them; for tests that bring a kubelet. */
public final class TestDaemon implements AutoCloseable {

    /** Much longer than needed, since other work may go on beside the tests. */
    public static final Duration PATIENCE = Duration.ofSeconds(30);

    public static final ResourceName NODE0 = ResourceName.parse("example.com/sriov_node0");
    static final ResourceName NODE1 = ResourceName.parse("example.com/sriov_node1");
    static final ResourceName GOPHER = ResourceName.parse("example.com/gopher");
    public static final PciAddress VF0 = new PciAddress(0, 0x3b, 1, 0);

    public static final String CLASSES = """
            [[class]]
            resource = "example.com/sriov_node0"
            kind = "vf"
            [class.match]
            pf_names = ["ens1f0"]

            [[class]]
            resource = "example.com/sriov_node1"
            kind = "vf"
            [class.match]
            pf_names = ["ens2f0"]

            [[class]]
            resource = "example.com/gopher"
            kind = "path"
            env = "Gopher"
            [class.match]
            paths = ["/etc/gophers/*"]
            """;

    public final SimulatedNode node;
    public final Monitor monitor;
    public final List<DeviceClass> classes;
    private final Supplies supplies;
    private final Preparations preparations;
    private final DevicePlugins plugins;

    private TestDaemon(
            SimulatedNode node,
            Monitor monitor,
            List<DeviceClass> classes,
            Supplies supplies,
            Preparations preparations,
            DevicePlugins plugins) {
        this.preparations = preparations;
        this.node = node;
        this.monitor = monitor;
        this.classes = classes;
        this.supplies = supplies;
        this.plugins = plugins;
    }

    /** Starts on a node under {@code directory}, with the classes of three resources. */
    public static TestDaemon open(Path directory, Path kubeletDir) throws IOException, ConfigException {
        return open(directory, kubeletDir, CLASSES);
    }

    public static TestDaemon open(Path directory, Path kubeletDir, String classes) throws IOException, ConfigException {
        return open(directory, kubeletDir, classes, PreparedClaims.none());
    }

    /** On a node where claims have devices. */
    public static TestDaemon open(Path directory, Path kubeletDir, String classes, PreparedClaims claims)
            throws IOException, ConfigException {
        return open(
                directory,
                kubeletDir,
                classes,
                (supplies, preparations) ->
                        new DevicePlugins(null, kubeletDir, directory, supplies, preparations, claims));
    }

    /** Starts with the same three resources where the plugin watcher of the kubelet with that directory looks. */
    static TestDaemon openInRegistry(Path directory, Path registry) throws IOException, ConfigException {
        Path kubeletDir = directory.resolve("device-plugins");
        return open(
                directory,
                kubeletDir,
                CLASSES,
                (supplies, preparations) -> new DevicePlugins(
                        registry, kubeletDir, directory, supplies, preparations, PreparedClaims.none()));
    }

    private interface Opening {
        DevicePlugins open(Supplies supplies, Preparations preparations) throws IOException;
    }

    private static TestDaemon open(Path directory, Path kubeletDir, String classes, Opening opening)
            throws IOException, ConfigException {
        Path file = Files.writeString(directory.resolve("edgeplug.toml"), classes);
        Config config = ConfigFiles.read(file);
        SimulatedNode node = Files.exists(directory.resolve("node"))
                ? SimulatedNode.unpack("", directory.resolve("node"))
                : SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node"));
        Monitor monitor = Monitor.open(node.sysfs(), config.classes(), node.uevents(), config.settle());
        Supplies supplies =
                new Supplies(node.sysfs(), ContainerDirectories.below(directory), monitor, config.classes());
        Preparations preparations = new Preparations(node.sysfs(), monitor, kubeletDir);
        try {
            preparations.recover();
            return new TestDaemon(
                    node, monitor, config.classes(), supplies, preparations, opening.open(supplies, preparations));
        } catch (IOException | InterruptedException e) {
            preparations.close();
            supplies.close();
            monitor.close();
            node.close();
            throw e instanceof IOException failed ? failed : new IOException(e);
        }
    }

    /** A class of the files in {@code /etc/NAME}. */
    static String filesClass(String resource, String name) {
        return """
                [[class]]
                resource = "%s"
                kind = "path"
                env = "%s"
                [class.match]
                paths = ["/etc/%s/*"]
                """.formatted(resource, name.toUpperCase(Locale.ROOT), name);
    }

    /** Whether all of these resources are registered and have so many healthy devices. */
    static boolean allHave(int devices, int resources, SortedMap<ResourceName, ResourceState> states) {
        return states.size() == resources
                && states.values().stream().allMatch(state -> state.registered() && state.allocatable() == devices);
    }

    /** Has other classes from now on, as after SIGHUP. */
    void use(List<DeviceClass> others) throws InterruptedException {
        plugins.use(others);
    }

    /** A rehearsal of all resources, as the daemon has after its start. */
    Rehearsal rehearsal(UnixRpc rpc) {
        return new Rehearsal(
                rpc,
                supplies.each().stream()
                        .map(supply -> new Resource(supply, preparations, node.root(), given -> {}))
                        .toList(),
                () -> true);
    }

    /** Rehearses as the daemon does, while it goes on. */
    void rehearse() throws InterruptedException {
        plugins.rehearse();
    }

    void awaitRehearsed() throws InterruptedException {
        assertThat(plugins.awaitRehearsed(PATIENCE)).isTrue();
    }

    /** The view of it that status, metrics and labels have. */
    public NodeView view() {
        return new NodeView(
                supplies,
                preparations,
                () -> new KubeletStatus(
                        plugins.kubeletAbsence(), Set.copyOf(plugins.registered()), plugins.registrations()),
                Optional::empty);
    }

    /** Whether the kubelet's notes can be read. */
    boolean readsHolders() {
        return plugins.custody().learnHolders();
    }

    /** Has the kubelet's notes read, if they can be. */
    public void lookAtHolders() {
        boolean ignored = readsHolders();
    }

    /** Has the kubelet's notes read, as at start. */
    void learnHolders() {
        assertThat(plugins.custody().learnHolders()).isTrue();
    }

    /** Has all files looked at, which no uevent tells of. */
    void lookAtFiles() {
        monitor.lookAgain("files");
    }

    /** Has them looked at, and then all that containers are given, without the pause that the daemon makes. */
    void lookAtFilesNow() throws InterruptedException {
        lookAtFiles();
        for (Supply supply : supplies.each()) {
            supply.look(PATIENCE);
        }
    }

    static List<String> ids(ResourceState state) {
        return state.devices().stream().map(ListedDevice::id).toList();
    }

    static boolean isHealthy(ResourceState state, PciAddress address) {
        return state.devices().contains(new ListedDevice(address.toString(), true, List.of(0L)));
    }

    @Override
    public void close() throws IOException {
        plugins.close();
        preparations.close();
        supplies.close();
        monitor.close();
        node.close();
    }
}
