package io.edgeplug.node.prepare;

import static io.edgeplug.node.prepare.PreparedNode.DEVICES;
import static io.edgeplug.node.prepare.PreparedNode.VF0;
import static io.edgeplug.node.prepare.PreparedNode.VF1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.rules.Step;
import io.edgeplug.node.scan.ChangeNote;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Resets and drivers, on a node that does what it is told, or not. */
@Timeout(60)
final class FunctionStepsTest {

    private static final PciAddress ADDRESS = new PciAddress(0, 0x3b, 1, 0);

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private PreparedNode prepared;

    @BeforeEach
    void open() throws IOException {
        prepared = PreparedNode.open(directory);
    }

    private void assertFails(String lines, String problem) {
        assertThatThrownBy(() -> prepared.prepare(VF0, lines))
                .isInstanceOf(PrepareException.class)
                .hasMessage("Device " + VF0 + " could not be prepared: " + problem + ".");
    }

    private void fail(String attribute, String reason) throws IOException {
        prepared.node.interfere(attribute, () -> {
            throw new IOException(reason);
        });
    }

    @Test
    void resetIsWithoutTheDriverThatHasMadeAnInterface() throws Exception {
        prepared.prepare(VF0, "reset = \"flr\"");

        assertThat(prepared.node.acts())
                .containsExactly(VF0 + " unbound from iavf", VF0 + " reset by flr", VF0 + " bound to iavf");
        prepared.assertAsBefore();
    }

    @Test
    void functionOfVfioIsResetInPlace() throws Exception {
        prepared.prepare(VF0, "driver = \"vfio-pci\"");

        prepared.prepare(VF0, "reset = \"flr\"");

        assertThat(prepared.node.acts())
                .containsExactly(VF0 + " unbound from iavf", VF0 + " bound to vfio-pci", VF0 + " reset by flr");
        assertThat(prepared.attribute(VF0, "driver_override")).isEqualTo("vfio-pci");
    }

    @Test
    void otherMethodsAreLeftOutMeanwhile() throws Exception {
        prepared.node.write(DEVICES + VF0 + "/reset_method", "pm flr bus");

        prepared.prepare(VF0, "reset = \"flr\"");
        prepared.prepare(VF0, "reset = \"bus\"");
        prepared.prepare(VF0, "reset = \"function\"");

        assertThat(prepared.node.acts())
                .filteredOn(act -> act.contains(" reset"))
                .containsExactly(
                        VF0 + " reset_method = flr",
                        VF0 + " reset by flr",
                        VF0 + " reset_method = pm flr bus",
                        VF0 + " reset_method = bus",
                        VF0 + " reset by bus",
                        VF0 + " reset_method = pm flr bus",
                        VF0 + " reset by pm flr bus");
    }

    @Test
    void methodThatTheKernelDoesNotOfferIsTold() throws Exception {
        assertFails("reset = \"bus\"", "reset: the kernel offers no bus for it, only: flr");
        assertThat(prepared.node.acts()).isEmpty();
    }

    @Test
    void rebindIsWithoutReset() throws Exception {
        prepared.prepare(VF0, "reset = \"rebind\"");

        assertThat(prepared.node.acts()).containsExactly(VF0 + " unbound from iavf", VF0 + " bound to iavf");
        prepared.assertAsBefore();
    }

    @Test
    void resetThatFailsLeavesTheDriverBound() throws Exception {
        fail(DEVICES + VF0 + "/reset", "Input/output error");

        assertFails("reset = \"flr\"", "reset: write reset: Input/output error");
        prepared.assertAsBefore();
    }

    @Test
    void functionThatIsBusyIsLeftAsItWas() throws Exception {
        fail("sys/bus/pci/drivers/iavf/unbind", "Device or resource busy");

        assertFails("reset = \"flr\"", "reset: write unbind: Device or resource busy");
        prepared.assertAsBefore();
    }

    @Test
    void functionWithoutResetIsTold() throws Exception {
        Files.delete(prepared.node.root().resolve(DEVICES + VF0 + "/reset"));

        assertFails("reset = \"function\"", "reset: write reset: No such file or directory");
        prepared.assertAsBefore();
    }

    @Test
    void driverThatDoesNotComeBackIsToldWithWhy() throws Exception {
        fail("sys/bus/pci/drivers/iavf/bind", "Cannot allocate memory");

        assertFails(
                "reset = \"flr\"",
                "reset: write bind: Cannot allocate memory; and it could not be restored: "
                        + "write bind: Cannot allocate memory");
        assertThat(prepared.driver(VF0)).isEqualTo("none");
        assertLeft("was left half changed and cannot be restored: write bind: Cannot allocate memory");
    }

    private void assertLeft(String problem) throws IOException {
        assertThat(ChangeNote.of(prepared.node.sysfs(), ADDRESS)).contains(new ChangeNote(false, problem));
        assertThat(prepared.device(VF0).health().problem()).contains(problem);
    }

    @Test
    void functionOfWhichABugBrokeOffTheChangeIsPutBackByWhoComesNext() throws Exception {
        prepared.node.interfere(DEVICES + VF0 + "/reset", () -> {
            throw new LinkageError("no such method");
        });
        PciBinding binding = new PciBinding(prepared.node.sysfs(), ADDRESS);
        FunctionSteps steps = new FunctionSteps(
                new ChangeNotes(prepared.node.sysfs()),
                new HostDrivers(prepared.node.sysfs(), directory, event -> {}),
                binding);

        assertThatThrownBy(() -> steps.reset(Step.Reset.Method.FLR, null)).isInstanceOf(LinkageError.class);

        assertThat(prepared.driver(VF0)).isEqualTo("none");
        assertLeft("was left half changed and cannot be restored: its preparation was interrupted");
        prepared.preparer.recover();
        prepared.assertAsBefore();
        assertThat(prepared.device(VF0).health().isHealthy()).isTrue();
    }

    @Test
    void functionThatIsGoneLeavesNoNoteForItsSuccessor() throws Exception {
        prepared.node.interfere(DEVICES + VF0 + "/reset", () -> prepared.node.pull(ADDRESS));

        assertThatThrownBy(() -> prepared.prepare(VF0, "reset = \"flr\"")).isInstanceOf(PrepareException.class);

        assertThat(new ChangeNotes(prepared.node.sysfs()).functions()).isEmpty();
    }

    @Test
    void deviceThatDiesInTheMiddleIsTold() throws Exception {
        prepared.node.interfere(DEVICES + VF0 + "/reset", () -> prepared.node.pull(ADDRESS));

        assertThatThrownBy(() -> prepared.prepare(VF0, "reset = \"flr\""))
                .isInstanceOf(PrepareException.class)
                .hasMessageStartingWith("Device " + VF0 + " could not be prepared: reset: write reset: No such device");
    }

    @Test
    void deviceThatDoesNotAnswerAfterItsResetIsTold() throws Exception {
        prepared.node.interfere(DEVICES + VF0 + "/reset", () -> prepared.node.fallOff(ADDRESS));
        prepared.node.write(DEVICES + VF0 + "/config", "\\x86\\x80\\x89\\x18" + "\\x00".repeat(252));

        assertFails("reset = \"flr\"", "it does not answer on PCI: its configuration space reads all ones afterwards");
    }

    @Test
    void driverIsBoundOnceAndStays() throws Exception {
        prepared.prepare(VF0, "driver = \"vfio-pci\"");
        prepared.prepare(VF0, "driver = \"vfio-pci\"");

        assertThat(prepared.node.acts()).containsExactly(VF0 + " unbound from iavf", VF0 + " bound to vfio-pci");
        assertThat(prepared.driver(VF0)).isEqualTo("vfio-pci");
        assertThat(prepared.driver(VF1)).isEqualTo("iavf");
    }

    @Test
    void driverThatRefusesLeavesTheOldOne() throws Exception {
        fail("sys/bus/pci/drivers/vfio-pci/bind", "Invalid argument");

        assertFails("driver = \"vfio-pci\"", "driver: write bind: Invalid argument");
        prepared.assertAsBefore();
    }

    @Test
    void driverThatIsNotLoadedIsTold() throws Exception {
        assertFails("driver = \"uio_pci_generic\"", "driver: the driver uio_pci_generic is not loaded");
        assertThat(prepared.node.acts()).isEmpty();
    }

    @Test
    void interfaceInAPodIsNotPulledAwayFromUnderIt() throws Exception {
        Path net = prepared.node.root().resolve(DEVICES + VF0 + "/net");
        Files.move(net.resolve("ens1f0v0"), directory.resolve("elsewhere"));

        assertFails(
                "reset = \"flr\"",
                "reset: its network interface has been moved into a network namespace, as a CNI does");
        assertFails(
                "driver = \"vfio-pci\"",
                "driver: its network interface has been moved into a network namespace, as a CNI does");
        assertThat(prepared.node.acts()).isEmpty();
    }

    @Test
    void resetComesBeforeTheDriverInWhateverOrderTheyStand() throws Exception {
        prepared.prepare(VF0, "driver = \"vfio-pci\"\nreset = \"flr\"");

        assertThat(prepared.node.acts())
                .containsExactly(VF0 + " unbound from iavf", VF0 + " reset by flr", VF0 + " bound to vfio-pci");
        assertThat(prepared.attribute(VF0, "driver_override")).isEqualTo("vfio-pci");
    }

    @Test
    void driverThatDoesNotTakeTheFunctionAfterItsResetLeavesTheOldOne() throws Exception {
        fail("sys/bus/pci/drivers/vfio-pci/bind", "Invalid argument");

        assertFails("driver = \"vfio-pci\"\nreset = \"flr\"", "reset: write bind: Invalid argument");
        prepared.assertAsBefore();
    }

    @Test
    void driverThatIsNotLoadedLeavesTheOldOneAfterTheReset() throws Exception {
        assertFails(
                "driver = \"uio_pci_generic\"\nreset = \"flr\"", "driver: the driver uio_pci_generic is not loaded");
        assertThat(prepared.node.acts())
                .containsExactly(VF0 + " unbound from iavf", VF0 + " reset by flr", VF0 + " bound to iavf");
        prepared.assertAsBefore();
    }
}
