package io.edgeplug.node.supply;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.HandOver;
import io.edgeplug.node.container.Allocation.Node;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.prepare.PreparedStarts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is ready for containers while classes change, and while devices are prepared. */
@Timeout(60)
final class SuppliesTest {

    private static final String A = "0000:43:00.0";
    private static final String B = "0000:43:00.1";
    private static final String UNBOUND = "0000:44:00.0";
    private static final String DPU_SPEC = "edgeplug_example.com_dpu.json";

    private static final String DPU = """
            [[class]]
            resource = "example.com/dpu"
            kind = "nic"
            hand_over = "cdi"
            match = { pci_addresses = ["0000:43:00.0", "0000:43:00.1"] }
            """;

    private static final String BOUND_LATER = """
            [[class]]
            resource = "example.com/later"
            kind = "nic"
            match = { pci_addresses = ["0000:44:00.0"] }
            [class.prepare]
            driver = "vfio-pci"
            """;

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    @BeforeEach
    void makeDirectories() throws IOException {
        Files.createDirectories(cdi());
    }

    private record Running(GroupedNode whole, Supplies supplies) {

        SimulatedNode node() {
            return whole.node();
        }

        Monitor monitor() {
            return whole.monitor();
        }

        Resource resource(int number) {
            return whole.resource(supplies.each().get(number));
        }
    }

    private Running running(String classes) throws Exception {
        SimulatedNode node = GroupedNode.unpack(closing, directory);
        Path driver = node.root().resolve("sys/bus/pci/devices/" + UNBOUND + "/driver");
        Files.delete(driver);
        Files.createSymbolicLink(driver, Path.of("../../../../bus/pci/drivers/mlx5_core"));
        GroupedNode whole = GroupedNode.follow(closing, node, directory, classes);
        return new Running(whole, whole.supplies(closing));
    }

    private List<DeviceClass> read(String classes) throws IOException, ConfigException {
        return GroupedNode.read(directory, classes);
    }

    private Path cdi() {
        return directory.resolve("cdi");
    }

    private List<String> specs() throws IOException {
        try (Stream<Path> files = Files.list(cdi())) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static Map<String, String> problems(Supply supply) throws InterruptedException {
        supply.look(PATIENCE);
        return supply.current().problems();
    }

    @Test
    void classThatIsAsItWasKeepsItsSupplyAndAnotherGetsOne() throws Exception {
        Running running = running(DPU);
        Supply dpu = running.supplies().each().getFirst();

        running.supplies().use(read(BOUND_LATER + DPU));

        assertThat(running.supplies().each()).hasSize(2).contains(dpu);
        assertThat(running.supplies().each().getFirst().current().devices())
                .extracting(Device::id)
                .containsExactly(UNBOUND);
        assertThat(specs()).containsExactly(DPU_SPEC);
    }

    @Test
    void filesOfAResourceThatIsTakenAwayGo() throws Exception {
        Running running = running(BOUND_LATER + DPU);

        running.supplies().use(read(BOUND_LATER));

        assertThat(running.supplies().each()).hasSize(1);
        assertThat(specs()).isEmpty();
    }

    @Test
    void filesOfAClassThatChangesStayWhereTheyAre() throws Exception {
        Running running = running(DPU);
        Object inode = Files.getAttribute(cdi().resolve(DPU_SPEC), "unix:ino");

        running.supplies().use(read(DPU.replace("kind", "prefer = \"spread\"\nkind")));

        assertThat(Files.getAttribute(cdi().resolve(DPU_SPEC), "unix:ino")).isEqualTo(inode);
        assertThat(running.supplies().each().getFirst().current().devices())
                .extracting(Device::id)
                .containsExactly(A, B);
        assertThat(problems(running.supplies().each().getFirst())).isEmpty();

        running.supplies().use(read(DPU.replace("\"cdi\"", "\"device-nodes\"")));

        assertThat(specs()).isEmpty();
    }

    /** The time tells which containers started unprepared, and what was before it cannot be known any more. */
    @Test
    void timeSinceWhenStartsAreNotedStaysWhileAClassChanges() throws Exception {
        Running running = running(BOUND_LATER);
        UnpreparedStarts starts = new UnpreparedStarts(
                directory,
                directory.resolve("pods"),
                running.monitor(),
                new PreparedStarts(running.node().sysfs()));
        boolean ignored = starts.look(running.supplies().classes(), true, null);
        Path note;
        try (Stream<Path> notes = Files.list(running.node().root().resolve("run/edgeplug/prepared"))) {
            note = notes.filter(file -> file.toString().endsWith(".since"))
                    .findFirst()
                    .orElseThrow();
        }
        FileTime then = FileTime.from(Instant.parse("2026-01-01T00:00:00Z"));
        Files.setLastModifiedTime(note, then);
        AtomicInteger looks = new AtomicInteger();
        running.monitor().publication().addListener(() -> {
            looks.incrementAndGet();
            boolean unusedLook = starts.look(running.supplies().classes(), true, null);
        });

        running.supplies().use(read(BOUND_LATER.replace("kind", "prefer = \"spread\"\nkind")));
        ignored = starts.look(running.supplies().classes(), true, null);

        assertThat(looks).hasPositiveValue();
        assertThat(Files.getLastModifiedTime(note)).isEqualTo(then);
    }

    @Test
    void nodeThatTheRecipesDriverMakesIsGivenAndNotMissedBeforehand() throws Exception {
        Running running = running(BOUND_LATER);

        assertThat(problems(running.supplies().each().getFirst())).isEmpty();
        assertThat(running.resource(0)
                        .allocate(List.of(List.of(UNBOUND)), HandOver.CDI)
                        .getFirst()
                        .nodes())
                .map(Node::hostPath)
                .containsExactly("/dev/vfio/18", "/dev/vfio/vfio");
    }

    @Test
    void deviceThatMayBeAnothersIsNotPrepared() throws Exception {
        Running running = running(BOUND_LATER);
        Supply supply = running.supplies().each().getFirst();
        Preparations careful = closing.add(new Preparations(
                running.node().sysfs(), running.monitor(), directory, device -> Optional.of("may be held by a pod")));

        assertThatThrownBy(() -> careful.starts.prepare(
                        supply.deviceClass(),
                        supply.deviceClass().recipe(),
                        supply.current().devices(),
                        Set.of(UNBOUND),
                        directory,
                        device -> Optional.empty()))
                .hasMessage("Device " + UNBOUND + " could not be prepared: it may be held by a pod.");

        assertThat(running.node().acts()).isEmpty();
    }

    @Test
    void nodesOfADeviceThatIsPreparedMayComeAndGo() throws Exception {
        Running running = running(DPU);
        Supply supply = running.supplies().each().getFirst();
        Device device = supply.current().devices().getFirst();
        running.monitor().freeze(device);

        Files.delete(running.node().root().resolve("dev/vfio/17"));

        assertThat(problems(supply)).containsOnlyKeys(B);
        assertThat(running.resource(0).allocate(List.of(List.of(A)), HandOver.CDI))
                .hasSize(1);

        running.monitor().thaw(device);
        assertThat(problems(supply)).containsOnlyKeys(A, B);
    }
}
