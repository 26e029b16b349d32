package io.edgeplug.node.supply;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static io.edgeplug.node.supply.SupplyNode.A;
import static io.edgeplug.node.supply.SupplyNode.B;
import static io.edgeplug.node.supply.SupplyNode.SPEC;
import static io.edgeplug.node.supply.SupplyNode.isHealthy;
import static io.edgeplug.node.supply.SupplyNode.names;
import static io.edgeplug.node.supply.SupplyNode.problem;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.node.container.CdiChecker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The files that containers need are there before the kubelet knows of a device, or it is told why they are not. */
@Timeout(60)
final class SupplyTest extends SupplyFiles {

    @Test
    void filesAreThereBeforeTheFirstOfferAndGoWithTheSupply() throws Exception {
        SupplyNode running = new SupplyNode(closing, directory);

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
        SupplyNode running = new SupplyNode(closing, directory);

        running.node.pull(PciAddress.parse(A).orElseThrow());
        running.await(stock -> stock.devices().size() == 1);
        running.supply.look(PATIENCE);

        assertThat(Files.exists(deviceInfo().resolve("example.com-dpu-" + A + "-device.json")))
                .isFalse();
        assertThat(Files.readString(cdi().resolve(SPEC))).contains(B).doesNotContain(A);
    }

    /** Allocate has found it on the node, and then it is gone. */
    @Test
    void deviceThatGoesWhileItIsAskedForIsRefusedAsGone() throws Exception {
        SupplyNode running = new SupplyNode(closing, directory);
        List<Device> found = running.supply.current().devices();

        running.node.pull(PciAddress.parse(A).orElseThrow());
        running.await(stock -> stock.devices().size() == 1 && stock.sound(A).isEmpty());

        assertThatThrownBy(() -> running.supply.lastLook().equipment(found, true))
                .isInstanceOf(DeviceUnavailableException.class)
                .hasMessage("Device 0000:43:00.0 of example.com/dpu is not on this node");
    }

    @Test
    void missingNodeIsRefusedByNameAndTheKubeletIsTold() throws Exception {
        SupplyNode running = new SupplyNode(closing, directory);
        Files.delete(running.node.root().resolve("dev/vfio/17"));

        assertThat(running.refusal(A))
                .isEqualTo("Device 0000:43:00.0 of example.com/dpu is unhealthy: its node /dev/vfio/17 is not there");

        assertThat(problem(running.await(stock -> !isHealthy(stock, B)), A))
                .isEqualTo("its node /dev/vfio/17 is not there");
        Files.createFile(running.node.root().resolve("dev/vfio/17"));
        running.await(stock -> isHealthy(stock, A) && isHealthy(stock, B));
    }

    @Test
    void directoryInPlaceOfANodeIsRefused() throws Exception {
        SupplyNode running = new SupplyNode(closing, directory);
        Files.delete(running.node.root().resolve("dev/vfio/17"));
        Files.createDirectory(running.node.root().resolve("dev/vfio/17"));

        assertThat(running.refusal(A))
                .isEqualTo("Device 0000:43:00.0 of example.com/dpu is unhealthy: its node /dev/vfio/17 is a directory");
        running.await(stock -> !isHealthy(stock, A) && !isHealthy(stock, B));
    }

    @Test
    void groupMateThatTheNodeUsesIsNamed() throws Exception {
        SupplyNode running = new SupplyNode(closing, directory);

        Files.delete(running.node.root().resolve("sys/bus/pci/devices/" + B + "/driver"));
        Files.createSymbolicLink(
                running.node.root().resolve("sys/bus/pci/devices/" + B + "/driver"),
                Path.of("../../../../bus/pci/drivers/mlx5_core"));
        running.monitor.lookAgain(B);

        assertThat(problem(running.await(stock -> !isHealthy(stock, A)), A))
                .isEqualTo("its IOMMU group 17 cannot be handed out: 0000:43:00.1 is bound to mlx5_core");
        assertThat(running.refusal(A)).contains("0000:43:00.1 is bound to mlx5_core");
    }

    @Test
    void specificationThatSomebodyEditedIsNotUsedAndWrittenAnew() throws Exception {
        SupplyNode running = new SupplyNode(closing, directory);
        String good = Files.readString(cdi().resolve(SPEC));

        assertThat(running.refusal(
                        A, () -> Files.writeString(cdi().resolve(SPEC), good.replace("/dev/vfio/17", "/dev/mem"))))
                .contains("its CDI specification was changed or removed by somebody else");

        running.await(stock -> isHealthy(stock, A) && stock.problems().isEmpty());
        assertThat(Files.readString(cdi().resolve(SPEC))).isEqualTo(good);
    }

    @Test
    void upkeepFindsWhatNobodyHasAskedFor() throws Exception {
        SupplyNode running = new SupplyNode(closing, directory);
        Path a = deviceInfo().resolve("example.com-dpu-" + A + "-device.json");
        Path b = deviceInfo().resolve("example.com-dpu-" + B + "-device.json");
        String good = Files.readString(b);

        assertThat(running.refusal(A, () -> {
                    Files.deleteIfExists(a);
                    Files.writeString(b, "{}");
                }))
                .contains("its device information file was changed or removed by somebody else");

        running.await(stock -> isHealthy(stock, A) && stock.problems().isEmpty() && Files.exists(a));
        assertThat(Files.readString(b)).isEqualTo(good);
    }

    @Test
    void specificationThatIsRemovedIsWrittenAnew() throws Exception {
        SupplyNode running = new SupplyNode(closing, directory);

        assertThat(running.refusal(A, () -> Files.deleteIfExists(cdi().resolve(SPEC))))
                .contains("its CDI specification was changed or removed by somebody else");

        running.await(stock -> isHealthy(stock, A) && Files.exists(cdi().resolve(SPEC)));
    }
}
