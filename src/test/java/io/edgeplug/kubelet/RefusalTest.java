package io.edgeplug.kubelet;

import static io.edgeplug.kubelet.SupplyNode.A;
import static io.edgeplug.kubelet.SupplyNode.B;
import static io.edgeplug.kubelet.SupplyNode.SPEC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.edgeplug.config.ConfigFiles;
import io.edgeplug.container.ContainerDirectories;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.HandOver;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.ResourceName;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What {@code kubectl describe pod} shows of each refusal: a sentence that names the device and the reason. */
@Timeout(60)
final class RefusalTest {

    private static final String DPU = "example.com/dpu";
    private static final String FILE = "example.com/file";
    private static final String SHARED = "example.com/shared";
    private static final String PAIR = "example.com/pair";
    private static final String MADE = "example.com/made";

    private static final String CLASSES = SupplyNode.CLASSES + """
            [[class]]
            resource = "example.com/file"
            kind = "path"
            mounts = ["/srv/{id}"]
            match = { paths = ["/etc/files/*"] }
            [[class]]
            resource = "example.com/shared"
            kind = "path"
            shares = 3
            fail_requests_greater_than_one = true
            match = { paths = ["/etc/shared/*"] }
            [[class]]
            resource = "example.com/pair"
            kind = "path"
            container_dir = "/pair"
            [[class.groups]]
            paths = ["/etc/left", "/etc/one/map"]
            [[class.groups]]
            paths = ["/etc/right", "/etc/two/map"]
            [[class]]
            resource = "example.com/made"
            kind = "path"
            match = { paths = ["/etc/made/*"] }
            [class.prepare]
            command = ["/bin/sh", "-c", "echo no bitstream; exit 3"]
            """;

    @TempDir
    private Path directory = Path.of("");

    private final Closing closing = new Closing();

    @AfterEach
    void close() throws Exception {
        closing.close();
        // JUnit warns of each link out of the directory that it deletes
        try (Stream<Path> all = Files.walk(directory.resolve("node/dev"))) {
            for (Path link : all.filter(Files::isSymbolicLink).toList()) {
                Files.delete(link);
            }
        }
    }

    /** Does something to a node, and asks it for a device. */
    interface Scene {
        void play(Stage stage) throws Exception;
    }

    record Refusal(String name, Scene scene, String sentence) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Refusal> refusals() {
        return Stream.of(
                new Refusal(
                        "unknown ID",
                        stage -> stage.allocate(DPU, "0000:43:00.7"),
                        "Device 0000:43:00.7 of example.com/dpu is not on this node"),
                new Refusal(
                        "empty ID",
                        stage -> stage.allocate(DPU, ""),
                        "Device \"\" of example.com/dpu is not on this node"),
                new Refusal(
                        "too long a name",
                        stage -> stage.allocate(DPU, "x".repeat(5000)),
                        "Device " + "x".repeat(128) + "… of example.com/dpu is not on this node"),
                new Refusal(
                        "name with a line break",
                        stage -> stage.allocate(DPU, "x\ny"),
                        "Device x?y of example.com/dpu is not on this node"),
                new Refusal(
                        "ID of another resource",
                        stage -> stage.allocate(DPU, "f1"),
                        "Device f1 is a device of example.com/file, and not of example.com/dpu"),
                new Refusal(
                        "device of no class",
                        stage -> stage.allocate(DPU, "0000:42:00.0"),
                        "Device 0000:42:00.0 is on this node, and no longer a device of example.com/dpu"),
                new Refusal(
                        "class reloaded away while the call arrives",
                        stage -> {
                            stage.monitor.use(List.of());
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 is on this node, and no longer a device of example.com/dpu"),
                new Refusal(
                        "file reloaded away while the call arrives",
                        stage -> {
                            stage.monitor.use(List.of());
                            stage.allocate(FILE, "f1");
                        },
                        "Device f1 of example.com/file is not on this node"),
                new Refusal(
                        "vanished",
                        stage -> {
                            stage.node.pull(address(A));
                            stage.monitor.awaitNewerThan(1);
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is not on this node"),
                new Refusal(
                        "vanished while a container has it",
                        stage -> {
                            stage.allocate(DPU, A);
                            stage.node.pull(address(A));
                            stage.awaitUnhealthy(DPU, A);
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: it is gone, and a container may hold it"),
                new Refusal(
                        "unhealthy",
                        stage -> {
                            byte[] ones = new byte[256];
                            Arrays.fill(ones, (byte) 0xff);
                            Files.write(stage.path("sys/bus/pci/devices/" + A + "/config"), ones);
                            stage.monitor.lookAgain(A);
                            stage.monitor.awaitNewerThan(1);
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: "
                                + "it does not answer on PCI: its configuration space reads all ones"),
                new Refusal(
                        "unhealthy, for it cannot be read",
                        stage -> {
                            Path vendor = stage.path("sys/bus/pci/devices/" + A + "/vendor");
                            Files.delete(vendor);
                            Files.createDirectory(vendor);
                            stage.monitor.lookAgain(A);
                            stage.monitor.awaitNewerThan(1);
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: "
                                + "edgeplug cannot read vendor: Is a directory"),
                new Refusal(
                        "file missing",
                        stage -> {
                            Files.delete(stage.path("etc/files/f1"));
                            stage.monitor.awaitNewerThan(1);
                            stage.allocate(FILE, "f1");
                        },
                        "Device f1 of example.com/file is not on this node"),
                new Refusal(
                        "file became a directory",
                        stage -> {
                            Files.delete(stage.path("etc/files/f1"));
                            Files.createDirectory(stage.path("etc/files/f1"));
                            stage.awaitUnhealthy(FILE, "f1");
                            stage.allocate(FILE, "f1");
                        },
                        "Device f1 of example.com/file is unhealthy: /etc/files/f1 is a directory now and was a file"),
                new Refusal(
                        "was a directory from the start",
                        stage -> stage.allocate(FILE, "d1"),
                        "Device d1 of example.com/file is unhealthy: /etc/files/d1 is a directory, "
                                + "and only a path that ends with / names directories"),
                new Refusal(
                        "link that leads nowhere",
                        stage -> stage.allocate(FILE, "l1"),
                        "Device l1 of example.com/file is unhealthy: /etc/files/l1 is a link that leads nowhere"),
                new Refusal(
                        "mount missing",
                        stage -> {
                            Files.delete(stage.path("srv/f1"));
                            stage.allocate(FILE, "f1");
                        },
                        "Device f1 of example.com/file is unhealthy: its mount /srv/f1 is not there"),
                new Refusal(
                        "part of a group missing",
                        stage -> {
                            Files.delete(stage.path("etc/one/map"));
                            stage.monitor.lookAgain("files");
                            stage.monitor.awaitNewerThan(1);
                            stage.allocate(PAIR, "left");
                        },
                        "Device left of example.com/pair is unhealthy: it lacks /etc/one/map of its group"),
                new Refusal(
                        "node missing",
                        stage -> {
                            Files.delete(stage.path("dev/vfio/17"));
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: its node /dev/vfio/17 is not there"),
                new Refusal(
                        "node became a file",
                        stage -> {
                            stage.make("dev/17", "echo writes this where a node is gone");
                            Files.move(stage.path("dev/17"), stage.path("dev/vfio/17"), StandardCopyOption.ATOMIC_MOVE);
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: its node /dev/vfio/17 is a file"),
                new Refusal(
                        "mate of its IOMMU group",
                        stage -> {
                            Path driver = stage.path("sys/bus/pci/devices/" + B + "/driver");
                            Files.delete(driver);
                            Files.createSymbolicLink(driver, Path.of("../../../../bus/pci/drivers/mlx5_core"));
                            stage.monitor.lookAgain(B);
                            stage.monitor.awaitNewerThan(1);
                            stage.resource(DPU).supply().look();
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: "
                                + "its IOMMU group 17 cannot be handed out: 0000:43:00.1 is bound to mlx5_core"),
                new Refusal(
                        "CDI specification changed",
                        stage -> {
                            Files.writeString(stage.cdi().resolve(SPEC), "{}");
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: "
                                + "its CDI specification was changed or removed by somebody else"),
                new Refusal(
                        "CDI specification not writable",
                        stage -> {
                            Files.delete(stage.cdi().resolve(SPEC));
                            Files.createDirectory(stage.cdi().resolve(SPEC));
                            stage.resource(DPU).supply().look();
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: "
                                + "edgeplug cannot write DIRECTORY/cdi/edgeplug_example.com_dpu.json: is a directory"),
                new Refusal(
                        "device-information file not writable",
                        stage -> {
                            Path file = stage.deviceInfo().resolve("example.com-dpu-" + A + "-device.json");
                            Files.delete(file);
                            Files.createDirectory(file);
                            stage.resource(DPU).supply().look();
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: edgeplug cannot write "
                                + "DIRECTORY/devinfo/example.com-dpu-0000:43:00.0-device.json: is a directory"),
                new Refusal(
                        "CDI name taken",
                        stage -> {
                            Files.writeString(
                                    stage.cdi().resolve("other.json"),
                                    "{\"cdiVersion\": \"0.5.0\", \"kind\": \"example.com/dpu\", "
                                            + "\"devices\": [{\"name\": \"" + A + "\", \"containerEdits\": {}}]}");
                            stage.resource(DPU).supply().look();
                            stage.allocate(DPU, A);
                        },
                        "Device 0000:43:00.0 of example.com/dpu is unhealthy: its CDI device "
                                + "example.com/dpu=0000:43:00.0 is also in DIRECTORY/cdi/other.json, "
                                + "which is not edgeplug's"),
                new Refusal(
                        "twice the same",
                        stage -> stage.allocate(DPU, A, A),
                        "Device 0000:43:00.0 of example.com/dpu was asked for twice"),
                new Refusal("none asked", stage -> stage.allocate(DPU), "No device of example.com/dpu was asked for"),
                new Refusal(
                        "more shares than allowed",
                        stage -> stage.allocate(SHARED, "s1::0", "s1::1", "s1::2"),
                        "A container may ask for one device of example.com/shared, and asked for 3 "
                                + "(s1::0, s1::1 and 1 more): they are shared, and a second share gives it nothing more"),
                new Refusal(
                        "share that there is not",
                        stage -> stage.allocate(SHARED, "s1::3"),
                        "Device s1::3 of example.com/shared is not on this node"),
                new Refusal(
                        "two that do not fit into one container",
                        stage -> stage.allocate(PAIR, "left", "right"),
                        "Devices of example.com/pair cannot be given to one container (left, right): "
                                + "in it two different files would be /pair/map"),
                new Refusal(
                        "preparation of an unknown device",
                        stage -> stage.prepare(MADE, "m9"),
                        "Device m9 of example.com/made is not on this node"),
                new Refusal(
                        "preparation that fails",
                        stage -> stage.prepare(MADE, "m1"),
                        "Device m1 could not be prepared: command: /bin/sh: exit status 3: no bitstream."));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void refusalIsASentenceThatNamesTheDeviceAndTheReason(Refusal refusal) throws Exception {
        Stage stage = new Stage(closing, directory);
        String text = reason(() -> refusal.scene().play(stage));

        assertThat(text.replace(directory.toString(), "DIRECTORY")).isEqualTo(refusal.sentence());
        assertThat(text).hasSizeLessThan(1000).doesNotContainPattern("\\p{Cntrl}|null|[Ee]xception");
    }

    private static String reason(ThrowingCallable call) {
        Throwable refused = catchThrowable(call);
        assertThat(refused).isNotNull().isNotInstanceOfAny(RuntimeException.class, IOException.class, Error.class);
        return String.valueOf(refused.getMessage());
    }

    private static PciAddress address(String text) {
        return PciAddress.parse(text).orElseThrow();
    }

    /** A node with all that can be refused, and what supplies it. */
    static final class Stage {

        private final SimulatedNode node;
        private final Monitor monitor;
        private final List<Resource> resources;
        private final Path directory;

        Stage(Closing closing, Path directory) throws Exception {
            this.directory = directory;
            node = closing.add(SimulatedNode.unpack(
                    Files.readString(Machine.file("vfio-groups", "tree")), directory.resolve("node")));
            for (String file : List.of(
                    "etc/files/f1",
                    "srv/f1",
                    "etc/shared/s1",
                    "etc/left",
                    "etc/one/map",
                    "etc/right",
                    "etc/two/map",
                    "etc/made/m1")) {
                make(file, "");
            }
            makeNodes();
            Files.createDirectory(path("etc/files/d1"));
            Files.createSymbolicLink(path("etc/files/l1"), Path.of("nowhere"));
            List<DeviceClass> classes = ConfigFiles.read(Files.writeString(directory.resolve("edgeplug.toml"), CLASSES))
                    .classes();
            monitor = closing.add(Monitor.open(node.sysfs(), classes, node.uevents(), Duration.ZERO));
            Preparations preparations = closing.add(new Preparations(node.sysfs(), monitor, directory));
            ContainerDirectories directories = SupplyNode.directories(directory);
            Supplies supplies = closing.add(Supplies.open(node.sysfs(), directories, monitor, classes));
            resources = supplies.each().stream()
                    .map(supply -> new Resource(supply, preparations, directory))
                    .toList();
        }

        /** Of files, which a tree has for nodes, links to one that every machine has. */
        private void makeNodes() throws IOException {
            try (Stream<Path> all = Files.walk(path("dev"))) {
                for (Path file : all.filter(Files::isRegularFile).toList()) {
                    Files.delete(file);
                    Files.createSymbolicLink(file, Path.of("/dev/null"));
                }
            }
        }

        Path path(String path) {
            return node.root().resolve(path);
        }

        void awaitUnhealthy(String resource, String id) throws InterruptedException {
            Inventory now = monitor.current();
            while (now.device(ResourceName.parse(resource), id)
                    .filter(device -> !device.health().isHealthy())
                    .isEmpty()) {
                now = monitor.awaitNewerThan(now.generation());
            }
        }

        void make(String path, String content) throws IOException {
            Files.createDirectories(path(path).resolveSibling("."));
            Files.writeString(path(path), content);
        }

        Path cdi() {
            return SupplyNode.directories(directory).cdi();
        }

        Path deviceInfo() {
            return SupplyNode.directories(directory).deviceInfo();
        }

        Resource resource(String name) {
            return resources.stream()
                    .filter(resource -> resource.name().toString().equals(name))
                    .findFirst()
                    .orElseThrow();
        }

        void allocate(String name, String... ids) throws Exception {
            assertThat(resource(name).allocate(List.of(List.of(ids)), HandOver.CDI))
                    .hasSize(1);
        }

        void prepare(String name, String... ids) throws Exception {
            resource(name).prepare(List.of(ids));
        }
    }
}
