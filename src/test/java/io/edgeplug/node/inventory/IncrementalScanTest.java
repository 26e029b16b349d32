package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.node.scan.DeviceScan;
import io.edgeplug.system.udev.Uevent;
import io.edgeplug.system.udev.UeventSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a node has after each of many random changes, seen through the functions that its uevents name alone and by
 * looking at everything: 30 changes of each machine, or 2,000 with {@code -Dsoak}; {@code -Dseed=N} repeats a run.
 */
@Timeout(600)
final class IncrementalScanTest {

    private static final Path MACHINES = Path.of("src/test/machines");
    private static final String FUNCTIONS = "sys/bus/pci/devices/";
    private static final int CHANGES = System.getProperty("soak") == null ? 30 : 2_000;
    private static final long SEED = Long.getLong("seed", System.nanoTime());

    private static final String THAT_IS_ALL = "that-is-all";

    /** What a driver makes below its function, and takes away when it is unbound. */
    private static final Pattern OF_DRIVER = Pattern.compile("driver|net|infiniband.*|fpga_region|virtio\\d+");

    /** What changes on a device that breaks, and to what. */
    private static final Map<String, String> BREAKAGES = Map.of(
            "afu_id", "f".repeat(32),
            "node_guid", "0000:0000:0000:0000",
            "state", "1: DOWN",
            "link_layer", "",
            "numa_node", "nonsense",
            "sriov_numvfs", "3",
            "type", "512",
            "ibdev", "other0");

    @TempDir
    private Path root = Path.of("");

    private final Random random = new Random(SEED);
    /** Each line of the machine's tree on its own, by its path. */
    private final Map<String, String> lines = new LinkedHashMap<>();
    /** How to undo the changes so far; the last first, since what it brings back may need what was there before it. */
    private final Deque<Undo> undos = new ArrayDeque<>();

    private final List<String> told = new ArrayList<>();

    static List<String> machines() throws IOException {
        try (Stream<Path> found = Files.list(MACHINES)) {
            return found.map(path -> String.valueOf(path.getFileName()))
                    .sorted()
                    .toList();
        }
    }

    private interface Undo {
        void run() throws IOException;
    }

    @ParameterizedTest
    @MethodSource("machines")
    void scansOfWhatUeventsNameEqualAScanOfEverything(String machine) throws Exception {
        System.out.println("incremental scan of " + machine + ": -Dseed=" + SEED);
        String tree = Files.readString(MACHINES.resolve(machine).resolve("tree"));
        readLines(tree);
        try (SimulatedNode node = SimulatedNode.unpack(tree, root);
                ScanThread thread = new ScanThread(node.sysfs(), () -> {}, place -> {});
                UeventSource uevents = node.uevents()) {
            NodeDevices incremental = fresh(thread);
            NodeDevices whole = fresh(thread);
            for (int i = 0; i < CHANGES && !functions(node).isEmpty(); i++) {
                change(node);
                follow(node, uevents, incremental);
                whole.scanAll();
                assertThat(incremental.devices())
                        .as("-Dseed=%d: %s", SEED, told)
                        .isEqualTo(whole.devices());
            }
            while (!undos.isEmpty()) {
                undos.pop().run();
            }
            follow(node, uevents, incremental);
            assertThat(incremental.devices())
                    .as("-Dseed=%d: %s, and all undone", SEED, told)
                    .isEqualTo(fresh(thread).devices());
        }
    }

    private static NodeDevices fresh(ScanThread thread) throws IOException {
        NodeDevices devices = new NodeDevices(thread, List.of(), new ScanGate());
        devices.scanAll();
        return devices;
    }

    private static List<PciAddress> functions(SimulatedNode node) throws IOException {
        return new DeviceScan(node.sysfs()).functions();
    }

    /** Scans what the uevents so far name, as the monitor does; the first function is never pulled. */
    private static void follow(SimulatedNode node, UeventSource uevents, NodeDevices devices) throws IOException {
        if (functions(node).isEmpty()) {
            return;
        }
        node.announce(THAT_IS_ALL, functions(node).getFirst());
        for (Uevent event = uevents.next().orElseThrow();
                !event.action().equals(THAT_IS_ALL);
                event = uevents.next().orElseThrow()) {
            PciAddress.lastIn(event.devpath()).ifPresent(address -> devices.scan(List.of(address)));
        }
    }

    private void change(SimulatedNode node) throws IOException {
        List<PciAddress> functions = functions(node);
        PciAddress address = functions.get(random.nextInt(functions.size()));
        int kind = random.nextInt(undos.size() > 5 ? 9 : 6);
        if (kind == 0 && !address.equals(functions.getFirst())) {
            pull(node, address);
        } else if (kind == 1) {
            unbind(node, address);
        } else if (kind == 2 && Files.exists(root.resolve(FUNCTIONS + address + "/config"))) {
            fallOff(node, address);
        } else if (kind < 6) {
            damage(node, address, kind == 5);
        } else {
            told.add("undo");
            undos.pop().run();
        }
    }

    private void pull(SimulatedNode node, PciAddress address) throws IOException {
        told.add("pull " + address);
        Set<String> before = present();
        node.pull(address);
        String gone = missing(before);
        undos.push(() -> node.plug(gone));
    }

    private void unbind(SimulatedNode node, PciAddress address) throws IOException {
        told.add("unbind " + address);
        Set<String> before = present();
        Path function = root.resolve(FUNCTIONS + address);
        List<Path> made;
        try (Stream<Path> children = Files.list(function.toRealPath())) {
            made = children.filter(child -> OF_DRIVER
                            .matcher(String.valueOf(child.getFileName()))
                            .matches())
                    .toList();
        }
        for (Path top : made) {
            deleteWithLinks(top);
        }
        node.announce("unbind", address);
        String gone = missing(before);
        undos.push(() -> {
            node.plug(gone);
            node.announce("bind", address);
        });
    }

    private void fallOff(SimulatedNode node, PciAddress address) throws IOException {
        told.add("fall off " + address);
        try {
            node.fallOff(address);
        } catch (IllegalStateException e) {
            return; // it has fallen off already
        }
        undos.push(() -> comeBack(node, address));
    }

    private static void comeBack(SimulatedNode node, PciAddress address) throws IOException {
        try {
            node.comeBack(address);
        } catch (IllegalStateException e) {
            return; // it was pulled meanwhile, and another is plugged
        }
    }

    /**
     * Changes what one attribute says, or makes it one that cannot be read. The kernel never refuses those of an interface,
     * which count for others too, except for one that is just being removed.
     */
    private void damage(SimulatedNode node, PciAddress address, boolean unreadable) throws IOException {
        Path function = root.resolve(FUNCTIONS + address).toRealPath();
        List<Path> attributes;
        try (Stream<Path> all = Files.walk(function)) {
            attributes = all.filter(Files::isRegularFile)
                    .filter(file -> unreadable || BREAKAGES.containsKey(name(file)))
                    .filter(file -> !name(file).equals("config"))
                    .filter(file -> !unreadable || !file.toString().contains("/net/"))
                    .sorted()
                    .toList();
        }
        if (attributes.isEmpty()) {
            return;
        }
        Path file = attributes.get(random.nextInt(attributes.size()));
        PciAddress owner = PciAddress.lastIn(file.toString()).orElseThrow();
        told.add((unreadable ? "make unreadable " : "damage ")
                + root.toRealPath().relativize(file));
        byte[] before = Files.readAllBytes(file);
        Files.delete(file);
        if (unreadable) {
            Files.createDirectory(file);
        } else {
            Files.writeString(file, BREAKAGES.get(name(file)) + "\n");
        }
        node.announce("change", owner);
        undos.push(() -> {
            Files.delete(file);
            Files.write(file, before);
            node.announce("change", owner);
        });
    }

    private static String name(Path path) {
        return String.valueOf(path.getFileName());
    }

    private void deleteWithLinks(Path top) throws IOException {
        List<Path> below;
        try (Stream<Path> all = Files.walk(top)) {
            below = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : below) {
            Files.delete(path);
        }
        List<Path> dangling;
        try (Stream<Path> all = Files.walk(root.resolve("sys"))) {
            dangling = all.filter(path -> Files.isSymbolicLink(path) && Files.notExists(path))
                    .toList();
        }
        for (Path path : dangling) {
            Files.delete(path);
        }
    }

    private Set<String> present() {
        return lines.keySet().stream()
                .filter(path -> Files.exists(root.resolve(path), LinkOption.NOFOLLOW_LINKS))
                .collect(Collectors.toSet());
    }

    /** The tree of what was there. */
    private String missing(Set<String> before) {
        Set<String> now = present();
        return lines.entrySet().stream()
                .filter(line -> before.contains(line.getKey()) && !now.contains(line.getKey()))
                .map(line -> line.getValue() + "\n")
                .collect(Collectors.joining());
    }

    private void readLines(String tree) {
        String section = "";
        for (String line : tree.lines().map(String::strip).toList()) {
            if (line.startsWith("[")) {
                section = line.substring(1, line.length() - 1) + "/";
            } else if (!line.isEmpty() && !line.startsWith("#")) {
                String path = section + line.split(" (=|->)|/$", 2)[0];
                lines.put(path, section + line);
            }
        }
    }
}
