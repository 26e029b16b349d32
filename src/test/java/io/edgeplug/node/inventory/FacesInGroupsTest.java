package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Event.Noting;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.ResourceName;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mates in an IOMMU group, one of which is first listed as a face that does not come with the group. */
@Timeout(20)
final class FacesInGroupsTest {

    private static final ResourceName VFIO = ResourceName.parse("example.com/vfio");
    private static final String A = "0000:43:00.0";
    private static final String B = "0000:43:00.1";

    private static final String CLASSES = """
            [[class]]
            resource = "example.com/host"
            kind = "nic"
            faces = "exclusive"
            match = { pci_addresses = ["%1$s"] }

            [[class]]
            resource = "%3$s"
            kind = "nic"
            faces = "exclusive"
            match = { pci_addresses = ["%1$s", "%2$s"] }
            prepare = { driver = "vfio-pci" }
            """.formatted(A, B, VFIO);

    @TempDir
    private Path directory = Path.of("");

    @Test
    void mateIsWithheldAsSoonAsTheOtherIsHandedOver() throws Exception {
        String tree = Files.readString(Machine.file("vfio-groups", "tree"))
                .replace("drivers/mlx5_vfio_pci\n", "drivers/mlx5_core\n");
        Path file = Files.writeString(directory.resolve("edgeplug.toml"), CLASSES);
        try (SimulatedNode node = SimulatedNode.unpack(tree, directory.resolve("node"));
                Monitor monitor =
                        Monitor.open(node.sysfs(), ConfigFiles.read(file).classes(), node.uevents(), Duration.ZERO)) {
            Inventory before = monitor.current();
            assertThat(before.devices(VFIO)).extracting(Device::id).containsExactly(A, B);

            List<Device> ignored = monitor.publication().handOver(VFIO, Set.of(B), Set.of(B));

            Inventory after = monitor.inventories().awaitNewerThan(before.generation(), Duration.ofSeconds(5));
            assertThat(after.device(VFIO, A).orElseThrow().health().problem())
                    .hasValueSatisfying(text -> assertThat(text).contains("is in use: a container holds " + B));
        }
    }

    /** With settle = 0, a mate is offered before the users of a device whose driver was bound late are read again. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void mateOfAHeldDeviceIsNeverOfferedOnceTheirDriversAreBound(boolean isNoted) throws Exception {
        String tree = Files.readString(Machine.file("vfio-groups", "tree"));
        String unbound = tree.replaceAll("(?m)^driver -> .*(mlx5_vfio_pci|vfio-pci)\n", "");
        Path file = Files.writeString(directory.resolve("edgeplug.toml"), """
                [[class]]
                resource = "%s"
                kind = "nic"
                match = { pci_addresses = ["%s", "%s"] }
                """.formatted(VFIO, A, B));
        try (SimulatedNode node = SimulatedNode.unpack(unbound, directory.resolve("node"));
                Monitor monitor =
                        Monitor.open(node.sysfs(), ConfigFiles.read(file).classes(), node.uevents(), Duration.ZERO)) {
            if (isNoted) {
                Noting noting = new Noting(
                        B,
                        User.Pod.unnamed("pod", "main"),
                        VFIO.toString(),
                        OptionalInt.empty(),
                        monitor.here(B),
                        false);
                monitor.custodian().tell(B, new Event.Noted(List.of(noting), Instant.now(), Set.of(), false, 0));
            } else {
                List<Device> ignored = monitor.publication().handOver(VFIO, Set.of(B), Set.of(B));
            }
            assertThat(monitor.current().device(VFIO, A).orElseThrow().health().isHealthy())
                    .isTrue();

            for (String id : List.of(A, B)) {
                Path function = directory.resolve("node/sys/bus/pci/devices").resolve(id);
                Path ignored = Files.createSymbolicLink(
                        function.toRealPath().resolve("driver"), Path.of("../../../../bus/pci/drivers/vfio-pci"));
                node.announce("bind", PciAddress.parse(id).orElseThrow());
            }

            Inventory now = monitor.current();
            while (now.device(VFIO, A).orElseThrow().health().isHealthy()) {
                now = monitor.inventories().awaitNewerThan(now.generation(), Duration.ofSeconds(5));
            }
            assertThat(now.device(VFIO, A).orElseThrow().health().problem())
                    .hasValueSatisfying(text -> assertThat(text).contains("is in use: a container holds " + B));
        }
    }
}
