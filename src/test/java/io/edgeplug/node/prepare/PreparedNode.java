package io.edgeplug.node.prepare;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.node.inventory.Inventory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A simulated node with one class, whose recipe a test writes in TOML. */
final class PreparedNode implements AutoCloseable {

    static final String VF0 = "0000:3b:01.0";
    static final String VF1 = "0000:3b:01.1";
    static final String DEVICES = "sys/bus/pci/devices/";
    static final Duration PATIENCE = Duration.ofSeconds(20);

    final SimulatedNode node;
    final Preparer preparer;
    final List<PrepareEvent> events = new CopyOnWriteArrayList<>();
    private final Path directory;

    private PreparedNode(Path directory, SimulatedNode node) {
        this.directory = directory;
        this.node = node;
        this.preparer = new Preparer(node.sysfs(), directory, events::add);
    }

    static PreparedNode open(Path directory) throws IOException {
        return open(directory, DemoNode.tree());
    }

    static PreparedNode open(Path directory, String tree) throws IOException {
        return new PreparedNode(directory, SimulatedNode.unpack(tree, directory.resolve("node")));
    }

    /** What the lines of {@code [class.prepare]} say. */
    Recipe recipe(String kind, String lines) throws IOException, ConfigException {
        return config(kind, lines).classes().getFirst().recipe();
    }

    private Config config(String kind, String lines) throws IOException, ConfigException {
        Path file = Files.writeString(directory.resolve("edgeplug.toml"), """
                [[class]]
                resource = "example.com/x"
                kind = "%s"
                match = { %s }
                [class.prepare]
                %s
                """.formatted(
                        kind, kind.equals("path") ? "paths = [\"/etc/*/*\"]" : "devices = [\"ffff\"]", lines));
        return ConfigFiles.read(file);
    }

    Device device(String id) throws IOException {
        return Inventory.scan(node.sysfs(), List.of()).items().stream()
                .map(Inventory.Item::device)
                .filter(device -> device.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    /** Prepares it to the end. */
    void prepare(String id, Recipe recipe) throws Exception {
        Preparation preparation = preparer.prepare(device(id), recipe);
        try {
            if (!preparation.await(PATIENCE)) {
                throw new AssertionError(preparation.progress());
            }
        } finally {
            preparer.collect(preparation);
        }
    }

    /** Prepares a VF. */
    void prepare(String id, String lines) throws Exception {
        prepare(id, recipe("vf", lines));
    }

    /** Has a write hang in the kernel of the machine, until {@link #read} or for ever. */
    Path hang(String attribute) throws IOException, InterruptedException {
        Path file = node.root().resolve(attribute).toRealPath();
        Files.delete(file);
        new ProcessBuilder("mkfifo", file.toString()).inheritIO().start().waitFor();
        return file;
    }

    /** Lets go of a write that hangs. */
    static void read(Path fifo) throws IOException {
        Files.readAllBytes(fifo);
    }

    String driver(String function) throws IOException {
        return node.sysfs().linkName(DEVICES + function + "/driver").orElse("none");
    }

    String attribute(String function, String name) throws IOException {
        return node.sysfs().read(DEVICES + function + "/" + name).orElse("none");
    }

    @Override
    public void close() {
        preparer.close();
        node.close();
    }

    /** The first VF is as it was before anything was done to it, and nothing is noted. */
    void assertAsBefore() throws IOException {
        assertThat(driver(VF0)).isEqualTo("iavf");
        assertThat(attribute(VF0, "driver_override")).isEqualTo("(null)");
        assertThat(attribute(VF0, "reset_method")).isEqualTo("flr");
        assertThat(node.root().resolve(DEVICES + VF0 + "/net/ens1f0v0")).isDirectory();
        assertThat(new ChangeNotes(node.sysfs()).functions()).isEmpty();
    }
}
