package io.edgeplug.node.prepare;

import static io.edgeplug.node.prepare.PreparedNode.PATIENCE;
import static io.edgeplug.node.prepare.PreparedNode.VF0;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.FunctionBuilder;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.OtherPci;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A function has the driver back that it had before its first recipe. */
@Timeout(60)
final class DriverReturnTest {

    private static final PciAddress ADDRESS = new PciAddress(0, 0x3b, 1, 0);

    /** As many as are prepared at once. */
    private static final int HANGING = 16;

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private PreparedNode prepared;

    @BeforeEach
    void open() throws IOException {
        prepared = PreparedNode.open(directory);
    }

    @Test
    void driverIsForTheKubeletGivenBackForWhosePodsItWasBound() throws Exception {
        prepared.prepare(VF0, "driver = \"vfio-pci\"");

        assertThat(prepared.preparer.rebound(directory.resolve("none/.."))).containsExactly(ADDRESS);
        assertThat(prepared.preparer.rebound(directory.resolve("none"))).isEmpty();
        prepared.preparer.use(directory.resolve("none"));
        prepared.prepare(VF0, "driver = \"iavf\"");
        assertThat(prepared.preparer.rebound(directory)).containsExactly(ADDRESS);
    }

    private Optional<String> giveBackDriver() throws Exception {
        BlockingQueue<PrepareEvent.DriverGivenBack> ends = new LinkedBlockingQueue<>();
        try (Preparer preparer = new Preparer(prepared.node.sysfs(), directory, event -> {
            if (event instanceof PrepareEvent.DriverGivenBack back) {
                ends.add(back);
            }
        })) {
            preparer.giveBackDriver((PciDevice) prepared.device(VF0), () -> {});
            return Objects.requireNonNull(ends.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .text();
        }
    }

    @Test
    void driverOfBeforeTheFirstRecipeIsGivenBackOnce() throws Exception {
        prepared.prepare(VF0, "driver = \"vfio-pci\"");
        prepared.prepare(VF0, "driver = \"vfio-pci\"\nreset = \"flr\"");

        assertThat(giveBackDriver()).contains("returned to its host driver iavf");
        assertThat(giveBackDriver()).isEmpty();

        prepared.assertAsBefore();
    }

    @Test
    void functionThatHadNoDriverHasNoneAgain() throws Exception {
        prepared.node.sysfs().write("sys/bus/pci/drivers/iavf/unbind", VF0);
        prepared.prepare(VF0, "driver = \"vfio-pci\"");

        assertThat(giveBackDriver()).contains("has no driver, as before");

        assertThat(prepared.driver(VF0)).isEqualTo("none");
        assertThat(prepared.attribute(VF0, "driver_override")).isEqualTo("(null)");
    }

    /** As of a PF whose firmware hangs, and with it all that asks for its VFs. */
    @Test
    void returnsThatHangKeepNoOtherDeviceFromItsScrub() throws Exception {
        CountDownLatch hung = new CountDownLatch(HANGING);
        CountDownLatch goesOn = new CountDownLatch(1);
        Device used = prepared.device(VF0);
        try (Preparer preparer = new Preparer(prepared.node.sysfs(), directory, event -> {
            if (event instanceof PrepareEvent.Begun begun && !begun.device().equals(used)) {
                hung.countDown();
                await(goesOn);
            }
        })) {
            for (int i = 0; i < HANGING; i++) {
                PciAddress address = new PciAddress(0, 0x5e, 1 + i / 8, i % 8);
                preparer.giveBackDriver(new OtherPci(new FunctionBuilder(address).build(), Health.HEALTHY), () -> {});
            }
            assertThat(hung.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            new UseNotes(prepared.node.sysfs()).note(used, "example.com/x", Set.of("pod"), directory);

            Preparation scrub = preparer.scrub(used, prepared.recipe("vf", "reset = \"flr\""), () -> {});

            assertThat(scrub.await(PATIENCE)).isTrue();
            assertThat(prepared.node.acts()).contains(VF0 + " reset by flr");
            goesOn.countDown();
        } finally {
            goesOn.countDown();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            if (!latch.await(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException("has waited for too long");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void driverThatSomebodyElseHasBoundSinceStays() throws Exception {
        prepared.prepare(VF0, "driver = \"vfio-pci\"");
        prepared.node.sysfs().write("sys/bus/pci/drivers/vfio-pci/unbind", VF0);

        assertThat(giveBackDriver()).isEmpty();

        assertThat(prepared.driver(VF0)).isEqualTo("none");
        assertThat(prepared.attribute(VF0, "driver_override")).isEqualTo("vfio-pci");
    }

    /** The next pod waits until the note is gone, because an earlier look would show the driver that has just left. */
    @Test
    void scrubIsNotedAsDoneOnlyWhenThoseWhoListenKnowTheDeviceAsItIsNow() throws Exception {
        prepared.prepare(VF0, "driver = \"vfio-pci\"");
        Device used = prepared.device(VF0);
        UseNotes notes = new UseNotes(prepared.node.sysfs());
        notes.note(used, "example.com/x", Set.of("pod"), directory);
        List<String> seen = new CopyOnWriteArrayList<>();
        try (Preparer preparer = new Preparer(prepared.node.sysfs(), directory, event -> {
            if (event instanceof PrepareEvent.Restored || event instanceof PrepareEvent.Scrubbed) {
                seen.add(driver() + ", noted: " + notes.find(VF0).isPresent());
            }
        })) {
            Preparation scrub = preparer.scrub(used, prepared.recipe("vf", "reset = \"flr\""), () -> {});

            assertThat(scrub.await(PATIENCE)).isTrue();
            assertThat(seen).containsExactly("iavf, noted: true", "iavf, noted: false");
        }
    }

    private String driver() {
        try {
            return prepared.driver(VF0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
