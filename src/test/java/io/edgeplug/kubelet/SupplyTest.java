package io.edgeplug.kubelet;

import static io.edgeplug.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.edgeplug.config.ConfigFiles;
import io.edgeplug.container.CdiChecker;
import io.edgeplug.container.ContainerDirectories;
import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.HandOver;
import io.edgeplug.device.PciAddress;
import io.edgeplug.inventory.DeviceUnavailableException;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.simulation.SimulatedNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The files that containers need are there before the kubelet knows of a device, or it is told why they are not. */
@Timeout(60)
final class SupplyTest {

    private static final String A = "0000:43:00.0";
    private static final String B = "0000:43:00.1";
    private static final String SPEC = "edgeplug_example.com_dpu.json";
    private static final PciAddress A_ADDRESS = PciAddress.parse(A).orElseThrow();

    private static final String CLASSES = """
            [[class]]
            resource = "example.com/dpu"
            kind = "nic"
            hand_over = "cdi"
            cdi_annotations = true
            [class.match]
            vendors = ["15b3"]
            pci_addresses = ["0000:43:00.0", "0000:43:00.1"]
            """;

    @TempDir
    private Path directory = Path.of("");

    private final Closing closing = new Closing();

    @AfterEach
    void close() throws Exception {
        closing.close();
    }

    /** A node whose two functions are handed over by name. */
    private final class Running {

        final SimulatedNode node;
        final Monitor monitor;
        final Supply supply;
        final Resource resource;

        Running() throws Exception {
            node = closing.add(SimulatedNode.unpack(
                    Files.readString(Machine.file("vfio-groups", "tree")), directory.resolve("node")));
            List<DeviceClass> classes = ConfigFiles.read(Files.writeString(directory.resolve("edgeplug.toml"), CLASSES))
                    .classes();
            monitor = closing.add(Monitor.open(node.sysfs(), classes, node.uevents(), Duration.ZERO));
            supply = closing.add(Supply.open(
                    classes.getFirst(), monitor, node.sysfs(), new ContainerDirectories(cdi(), deviceInfo())));
            resource = new Resource(supply, closing.add(new Preparations(node.sysfs(), monitor, directory)));
        }

        String refusal(String... ids) {
            return String.valueOf(catchThrowableOfType(
                            DeviceUnavailableException.class,
                            () -> resource.allocate(List.of(List.of(ids)), HandOver.CDI))
                    .getMessage());
        }

        Offer await(Predicate<Offer> condition) throws InterruptedException {
            long end = System.nanoTime() + PATIENCE.multipliedBy(3).toNanos();
            Offer offer = supply.current();
            while (!condition.test(offer) && System.nanoTime() < end) {
                offer = supply.awaitNewerThan(offer.number(), Duration.ofSeconds(1));
            }
            assertThat(condition.test(offer)).as("%s", offer).isTrue();
            return offer;
        }
    }

    private Path cdi() {
        return directory.resolve("cdi");
    }

    private Path deviceInfo() {
        return directory.resolve("devinfo");
    }

    private static boolean isHealthy(Offer offer, String id) {
        return offer.devices().stream()
                .anyMatch(device -> device.id().equals(id) && device.health().isHealthy());
    }

    private static String problem(Offer offer, String id) {
        return offer.devices().stream()
                .filter(device -> device.id().equals(id))
                .map(Device::health)
                .findFirst()
                .flatMap(health -> health.problem())
                .orElse("");
    }

    private List<String> names(Path of) throws IOException {
        try (Stream<Path> files = Files.list(of)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void filesAreThereBeforeTheFirstOfferAndGoWithTheSupply() throws Exception {
        Running running = new Running();

        assertThat(isHealthy(running.supply.current(), A)).isTrue();
        assertThat(names(cdi())).containsExactly(SPEC);
        assertThat(CdiChecker.problems(Files.readString(cdi().resolve(SPEC)))).isEmpty();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(cdi().resolve(SPEC))))
                .isEqualTo("rw-r--r--");
        assertThat(names(deviceInfo()))
                .containsExactly("example.com-dpu-" + A + "-device.json", "example.com-dpu-" + B + "-device.json");
        assertThat(Files.readString(deviceInfo().resolve("example.com-dpu-" + A + "-device.json")))
                .isEqualTo("{\"type\":\"pci\",\"version\":\"1.1.0\",\"pci\":{\"pci-address\":\"" + A + "\"}}\n");

        running.supply.close();

        assertThat(names(cdi())).isEmpty();
        assertThat(names(deviceInfo())).isEmpty();
    }

    @Test
    void deviceThatGoesLeavesItsFiles() throws Exception {
        Running running = new Running();

        running.node.pull(A_ADDRESS);
        running.await(offer -> offer.devices().size() == 1);
        running.supply.look();

        assertThat(Files.exists(deviceInfo().resolve("example.com-dpu-" + A + "-device.json")))
                .isFalse();
        assertThat(Files.readString(cdi().resolve(SPEC))).contains(B).doesNotContain(A);
    }

    @Test
    void missingNodeIsRefusedByNameAndTheKubeletIsTold() throws Exception {
        Running running = new Running();
        Files.delete(running.node.root().resolve("dev/vfio/17"));

        assertThat(running.refusal(A))
                .isEqualTo("Device 0000:43:00.0 of example.com/dpu is unhealthy: its node /dev/vfio/17 is not there.");

        assertThat(problem(running.await(offer -> !isHealthy(offer, B)), A))
                .isEqualTo("its node /dev/vfio/17 is not there");
        Files.createFile(running.node.root().resolve("dev/vfio/17"));
        running.await(offer -> isHealthy(offer, A) && isHealthy(offer, B));
    }

    @Test
    void groupMateThatTheNodeUsesIsNamed() throws Exception {
        Running running = new Running();

        Files.delete(running.node.root().resolve("sys/bus/pci/devices/" + B + "/driver"));
        Files.createSymbolicLink(
                running.node.root().resolve("sys/bus/pci/devices/" + B + "/driver"),
                Path.of("../../../../bus/pci/drivers/mlx5_core"));
        running.monitor.lookAgain(B);

        assertThat(problem(running.await(offer -> !isHealthy(offer, A)), A))
                .isEqualTo("its IOMMU group 17 cannot be handed out: 0000:43:00.1 is bound to mlx5_core");
        assertThat(running.refusal(A)).contains("0000:43:00.1 is bound to mlx5_core");
    }

    @Test
    void specificationThatSomebodyEditedIsNotUsedAndWrittenAnew() throws Exception {
        Running running = new Running();
        String good = Files.readString(cdi().resolve(SPEC));
        Files.writeString(cdi().resolve(SPEC), good.replace("/dev/vfio/17", "/dev/mem"));

        assertThat(running.refusal(A)).contains("its CDI specification was changed or removed by somebody else");

        running.await(offer -> isHealthy(offer, A) && offer.problems().isEmpty());
        assertThat(Files.readString(cdi().resolve(SPEC))).isEqualTo(good);
    }

    @Test
    void upkeepFindsWhatNobodyHasAskedFor() throws Exception {
        Running running = new Running();
        Path a = deviceInfo().resolve("example.com-dpu-" + A + "-device.json");
        Path b = deviceInfo().resolve("example.com-dpu-" + B + "-device.json");
        String good = Files.readString(b);
        Files.delete(a);
        Files.writeString(b, "{}");

        assertThat(running.refusal(A)).contains("its device information file was changed or removed by somebody else");

        running.await(offer -> isHealthy(offer, A) && offer.problems().isEmpty() && Files.exists(a));
        assertThat(Files.readString(b)).isEqualTo(good);
    }

    @Test
    void specificationThatIsRemovedIsWrittenAnew() throws Exception {
        Running running = new Running();
        Files.delete(cdi().resolve(SPEC));

        assertThat(running.refusal(A)).contains("its CDI specification was changed or removed by somebody else");

        running.await(offer -> isHealthy(offer, A) && Files.exists(cdi().resolve(SPEC)));
    }

    @Test
    void directoryInPlaceOfTheSpecificationIsToldAndLeftAlone() throws Exception {
        Files.createDirectories(cdi().resolve(SPEC).resolve("something"));
        Running running = new Running();

        assertThat(problem(running.supply.current(), A))
                .isEqualTo(cdi().resolve(SPEC) + ": cannot write: is a directory");
        assertThat(Files.isDirectory(cdi().resolve(SPEC).resolve("something"))).isTrue();
        assertThat(running.refusal(A)).contains("is a directory");

        Files.delete(cdi().resolve(SPEC).resolve("something"));
        Files.delete(cdi().resolve(SPEC));
        running.await(offer -> isHealthy(offer, A));
    }

    @Test
    void linkInPlaceOfTheSpecificationIsReplacedAndNotFollowed() throws Exception {
        Path victim = Files.writeString(directory.resolve("victim"), "precious");
        Files.createDirectories(cdi());
        Files.createSymbolicLink(cdi().resolve(SPEC), victim);
        Files.createDirectories(deviceInfo());
        Files.createSymbolicLink(deviceInfo().resolve("example.com-dpu-" + A + "-device.json"), victim);

        Running running = new Running();

        assertThat(isHealthy(running.supply.current(), A)).isTrue();
        assertThat(victim).hasContent("precious");
        assertThat(Files.isRegularFile(cdi().resolve(SPEC), LinkOption.NOFOLLOW_LINKS))
                .isTrue();
    }

    @Test
    void fileOfAnotherWithOneOfOurNamesSpoilsThatDeviceOnly() throws Exception {
        Files.createDirectories(cdi());
        Path json = Files.writeString(
                cdi().resolve("other.json"),
                "{\"cdiVersion\":\"0.5.0\",\"kind\":\"example.com/dpu\",\"devices\":[{\"name\":\"" + A + "\"}]}");
        Files.writeString(cdi().resolve("broken.json"), "{\"kind\":\"example.com/dpu\",");
        Running running = new Running();

        assertThat(problem(running.supply.current(), A))
                .isEqualTo("its CDI device example.com/dpu=" + A + " is in " + json + " too, a file of another's");
        assertThat(isHealthy(running.supply.current(), B)).isTrue();
        assertThat(Files.readString(cdi().resolve(SPEC))).contains(B).doesNotContain("\"" + A + "\"");

        Files.delete(json);
        Files.writeString(cdi().resolve("o.yaml"), "kind: example.com/dpu\ndevices:\n  - name: \"" + B + "\"\n");
        running.await(offer -> isHealthy(offer, A) && !isHealthy(offer, B));
    }

    @Test
    void filesOfAnEarlierRunGoAndThoseOfOthersStay() throws Exception {
        Files.createDirectories(cdi());
        Files.createDirectories(deviceInfo());
        for (String name : List.of("edgeplug_example.com_old.json", "nvidia.json", "sriov-dp-x.yaml")) {
            Files.writeString(cdi().resolve(name), "{}");
        }
        Files.writeString(cdi().resolve(".edgeplug_0_1"), "{");
        for (String name : List.of("dpu-0000:01:00.0", "dpu-big-0000:01:00.0", "other-0000:01:00.0")) {
            Files.writeString(deviceInfo().resolve("example.com-" + name + "-device.json"), "{}");
        }
        Files.writeString(directory.resolve("edgeplug.toml"), CLASSES);
        Running running = new Running();

        Supplies supplies = closing.add(Supplies.open(
                running.node.sysfs(),
                new ContainerDirectories(cdi(), deviceInfo()),
                running.monitor,
                List.of(running.supply.deviceClass())));

        assertThat(supplies.each()).hasSize(1);
        assertThat(names(cdi())).containsExactly(SPEC, "nvidia.json", "sriov-dp-x.yaml");
        assertThat(names(deviceInfo()))
                .containsExactly(
                        "example.com-dpu-" + A + "-device.json",
                        "example.com-dpu-" + B + "-device.json",
                        "example.com-dpu-big-0000:01:00.0-device.json",
                        "example.com-other-0000:01:00.0-device.json");
    }

    @Test
    void fullDiskMakesDevicesUnhealthyUntilThereIsRoom() throws Exception {
        try (Mounted disk = Mounted.open("tmpfs", cdi())) {
            disk.remount("size=8k");
            Files.write(cdi().resolve("full"), new byte[8192]);
            Running running = new Running();

            assertThat(problem(running.supply.current(), A))
                    .isEqualTo(cdi().resolve(SPEC) + ": cannot write: No space left on device");
            assertThat(running.refusal(A)).contains("No space left on device");
            assertThat(names(cdi())).containsExactly("full");

            Files.delete(cdi().resolve("full"));
            running.await(offer -> isHealthy(offer, A));
            running.supply.close();
        }
    }

    @Test
    void readOnlyDirectoryMakesDevicesUnhealthyUntilItCanBeWritten() throws Exception {
        try (Mounted disk = Mounted.open("tmpfs", deviceInfo())) {
            disk.remount("ro");
            Running running = new Running();

            assertThat(problem(running.supply.current(), A))
                    .isEqualTo(deviceInfo().resolve("example.com-dpu-" + A + "-device.json")
                            + ": cannot write: Read-only file system");

            disk.remount("rw");
            running.await(offer -> isHealthy(offer, A));
            running.supply.close();
        }
    }
}
