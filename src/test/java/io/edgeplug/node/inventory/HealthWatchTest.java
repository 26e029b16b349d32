package io.edgeplug.node.inventory;

import static io.edgeplug.node.inventory.HealthRules.asking;
import static io.edgeplug.node.inventory.HealthRules.command;
import static io.edgeplug.node.inventory.HealthRules.damped;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.Api;
import io.edgeplug.model.rules.ClaimRules;
import io.edgeplug.model.rules.ContainerRules;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.FileRules;
import io.edgeplug.model.rules.HealthCheck;
import io.edgeplug.model.rules.HealthRule;
import io.edgeplug.model.rules.Placement;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.model.rules.Sharing;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.programs.ProcessIdentity;
import io.edgeplug.system.programs.Supervisor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a class's rule makes of its devices, by a clock of the test's own. */
@Timeout(30)
final class HealthWatchTest {

    private static final ResourceName VFS = ResourceName.parse("example.com/vfs");
    private static final String VF0 = "0000:3b:01.0";
    private static final Path CARRIER = Path.of("sys/bus/pci/devices", VF0, "net/ens1f0v0/carrier");

    @TempDir
    private Path directory = Path.of("");

    private final HealthCommands commands = new HealthCommands(Supervisor.THIS_PROCESS);
    private final ScanGate gate = new ScanGate();
    private final long begin = System.nanoTime();

    private ScanThread thread = new ScanThread(Sysfs.at(directory), () -> {}, place -> {});

    @BeforeEach
    void makeNode() throws IOException {
        SimulatedNode.unpack(DemoNode.tree(), directory).close();
        thread = new ScanThread(Sysfs.at(directory), () -> {}, place -> {});
        Files.writeString(directory.resolve(CARRIER), "1\n");
    }

    @AfterEach
    void stopCommands() {
        thread.close();
        commands.close();
    }

    @Test
    void linkThatGoesDownIsToldUntilItIsUp() throws Exception {
        Watched watch = watch(asking(HealthCheck.LINK));
        assertThat(problem(watch, 0)).isEmpty();

        Files.writeString(directory.resolve(CARRIER), "0\n");
        assertThat(problem(watch, 2)).contains("the link of ens1f0v0 is down");

        Files.writeString(directory.resolve(CARRIER), "1\n");
        assertThat(problem(watch, 4)).isEmpty();
    }

    @Test
    void linkThatGoesDownWhileTheDeviceIsPreparedIsNotTold() throws Exception {
        Watched watch = watch(asking(HealthCheck.LINK));
        assertThat(problem(watch, 0)).isEmpty();
        Device vf = vf(scan(watch.classes()));

        gate.close(vf);
        carrier("0");
        assertThat(problem(watch, 2)).isEmpty();

        gate.open(vf);
        assertThat(problem(watch, 4)).contains("the link of ens1f0v0 is down");
    }

    @Test
    void linkOfThePfCountsForItsVfs() throws Exception {
        Watched watch = watch(asking(HealthCheck.PF_LINK));
        Path carrier = directory.resolve("sys/bus/pci/devices/0000:3b:00.0/net/ens1f0/carrier");
        Files.writeString(carrier, "1\n");
        assertThat(problem(watch, 0)).isEmpty();

        Files.writeString(carrier, "0\n");
        assertThat(problem(watch, 2)).contains("the link of ens1f0 is down");
    }

    @Test
    void linkThatBlinksIsNotToldAndOneThatStaysDownIs() throws Exception {
        Watched watch = watch(damped(HealthCheck.LINK, Duration.ofSeconds(3), Duration.ofSeconds(10)));
        assertThat(problem(watch, 0)).isEmpty();

        carrier("0");
        assertThat(problem(watch, 2)).isEmpty();
        carrier("1");
        assertThat(problem(watch, 4)).isEmpty();
        carrier("0");
        assertThat(problem(watch, 6)).isEmpty();
        assertThat(problem(watch, 8)).isEmpty();
        assertThat(problem(watch, 9)).isPresent();

        carrier("1");
        assertThat(problem(watch, 12)).isPresent();
        assertThat(problem(watch, 21)).isPresent();
        assertThat(problem(watch, 23)).isEmpty();
    }

    @Test
    void checkThatDoesNotReturnIsTold() throws Exception {
        Files.delete(directory.resolve(CARRIER));
        assertThat(new ProcessBuilder("mkfifo", directory.resolve(CARRIER).toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();

        assertThat(problem(watch(asking(HealthCheck.LINK)), 0).orElseThrow())
                .startsWith("read carrier has not returned since ");
    }

    @Test
    void programOfADeviceThatIsBrokenAnywayIsNotStarted() throws Exception {
        Path ran = directory.resolve("ran");
        Watched watch = watch(command("echo > " + ran));
        List<Item> broken = scan(watch.classes()).stream()
                .map(item -> new Item(item.device().withHealth(Health.unhealthy("is not trusted")), item.deviceClass()))
                .toList();
        assertThat(vf(watch.health().judge(broken, device -> true, begin))
                        .health()
                        .problem())
                .contains("is not trusted");
        long late = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (commands.problem("another", command("exit 1"), System.nanoTime()).isEmpty()) {
            assertThat(System.nanoTime()).isLessThan(late);
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(ran).doesNotExist();
    }

    @Test
    void missingNodeAndDriverAreTold() throws Exception {
        Path driver = directory.resolve("sys/bus/pci/devices/" + VF0 + "/driver");
        Files.delete(driver);
        assertThat(problem(watch(asking(HealthCheck.DRIVER)), 0)).contains("has no driver");

        Files.createSymbolicLink(driver, Path.of("../../../../bus/pci/drivers/vfio-pci"));
        assertThat(problem(watch(asking(HealthCheck.NODES)), 0).orElseThrow()).matches("/dev/vfio/\\d+ is missing");
    }

    @Test
    void linkThatIsDownSinceTheDeviceIsBeingPreparedByHandIsNotTold() throws Exception {
        Watched watch = watch(asking(HealthCheck.LINK));
        assertThat(problem(watch, 0)).isEmpty();
        Path note = directory.resolve("run/edgeplug/prepare/" + VF0);
        Files.createDirectories(note.getParent());
        Files.writeString(note, "by=" + ProcessIdentity.own() + "\n");
        carrier("0");
        assertThat(problem(watch, 2)).isEmpty();

        Files.delete(note);
        assertThat(problem(watch, 4)).isPresent();
    }

    @Test
    void missingNodesOfVfioAreThoseThatItHasHere() throws Exception {
        Path function = directory.resolve("sys/bus/pci/devices/" + VF0);
        Path driver = function.resolve("driver");
        Files.delete(driver);
        Files.createSymbolicLink(driver, Path.of("../../../../bus/pci/drivers/mlx5_vfio_pci"));
        String group =
                function.resolve("iommu_group").toRealPath().getFileName().toString();
        Path name = directory.resolve("sys/kernel/iommu_groups/" + group + "/name");
        Files.createDirectories(name.getParent());
        Files.writeString(name, "vfio-noiommu\n");
        assertThat(problem(watch(asking(HealthCheck.NODES)), 0)).contains("/dev/vfio/noiommu-" + group + " is missing");

        Path own = Files.createDirectories(function.resolve("vfio-dev/vfio7"));
        Files.writeString(own.resolve("dev"), "509:7\n");
        assertThat(problem(watch(asking(HealthCheck.NODES)), 0)).contains("/dev/vfio/devices/vfio7 is missing");
    }

    @Test
    void fatalErrorsThatAreThereFromTheBeginningAreForgivenAndNewOnesAreNot() throws Exception {
        Path errors = directory.resolve("sys/bus/pci/devices/" + VF0 + "/aer_dev_fatal");
        Files.writeString(errors, "DLP 2\nTOTAL_ERR_FATAL 2\n");
        Watched watch = watch(damped(HealthCheck.AER_FATAL, Duration.ZERO, Duration.ofSeconds(60)));
        assertThat(problem(watch, 0)).isEmpty();

        Files.writeString(errors, "DLP 3\nTOTAL_ERR_FATAL 3\n");
        assertThat(problem(watch, 2)).contains("has had fatal PCI Express errors: 3");
        assertThat(problem(watch, 60)).isPresent();
        assertThat(problem(watch, 130)).isEmpty();
    }

    @Test
    void listTellsWhatIsWrongWithoutADaemon() throws Exception {
        carrier("0");
        Inventory listed = Inventory.scan(Sysfs.at(directory), List.of(of(asking(HealthCheck.LINK))));

        assertThat(listed.device(VFS, VF0).orElseThrow().health().problem()).contains("the link of ens1f0v0 is down");
    }

    private void carrier(String value) throws IOException {
        Files.writeString(directory.resolve(CARRIER), value + "\n");
    }

    private Watched watch(HealthRule rule) {
        List<DeviceClass> classes = List.of(of(rule));
        return new Watched(classes, new HealthWatch(thread, classes, commands, gate));
    }

    private record Watched(List<DeviceClass> classes, HealthWatch health) {}

    /** What is told of the first VF so many seconds after the beginning, when everything is looked at. */
    private Optional<String> problem(Watched watched, int second) throws IOException {
        long now = begin + Duration.ofSeconds(second).toNanos();
        List<Item> judged = watched.health().judge(scan(watched.classes()), device -> true, now);
        return vf(judged).health().problem();
    }

    private static Device vf(List<Item> items) {
        return items.stream()
                .map(Item::device)
                .filter(device -> device.id().equals(VF0))
                .findFirst()
                .orElseThrow();
    }

    private List<Item> scan(List<DeviceClass> classes) throws IOException {
        NodeDevices node = new NodeDevices(thread, classes, new ScanGate());
        node.scanAll();
        return new Matching().match(classes, node.devices());
    }

    private static DeviceClass of(HealthRule rule) {
        return new DeviceClass(
                VFS,
                Kind.VF,
                List.of(new Selector(Map.of(SelectorWord.PF_NAMES, List.of("ens1f0")))),
                List.of(),
                ContainerRules.NONE,
                Placement.USUAL,
                Sharing.NONE,
                false,
                rule,
                Recipe.NONE,
                Recipe.NONE,
                false,
                Optional.empty(),
                Api.DEVICE_PLUGIN,
                ClaimRules.NONE,
                FileRules.Identity.USUAL);
    }
}
