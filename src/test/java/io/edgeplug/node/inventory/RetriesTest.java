package io.edgeplug.node.inventory;

import static io.edgeplug.api.kubelet.TestDaemon.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.simulation.DemoNode;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.Work;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.udev.Uevent;
import io.edgeplug.system.udev.UeventSource;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which uevents give another chance to a device that could not be prepared. */
@Timeout(60)
final class RetriesTest {

    private static final String DEVICE = "f8007000.devcfg";
    private static final String PATH = "/devices/soc/f8007000.devcfg";
    private static final PciAddress VF0 = new PciAddress(0, 0x3b, 1, 0);

    @TempDir
    private Path directory = Path.of("");

    /** A scan of thousands of functions looks all the time: uevents that waited for it came a second late. */
    @Test
    void ueventDoesNotWaitForAScanThatHangs() throws Exception {
        CountDownLatch looks = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        AtomicBoolean isOpen = new AtomicBoolean();
        try (SimulatedNode node = SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node"));
                Uevents uevents = new Uevents()) {
            Sysfs slow = node.sysfs().witnessedBy(look -> {
                if (isOpen.get() && look.path().endsWith(VF0 + "/vendor")) {
                    looks.countDown();
                    await(end);
                }
            });
            try (Monitor monitor = Monitor.open(slow, List.of(), uevents, Duration.ZERO)) {
                isOpen.set(true);
                monitor.lookAgain(VF0.toString());
                assertThat(looks.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
                fail(monitor, VF0.toString());

                uevents.send("remove", "/devices/pci0000:3a/" + VF0, "pci");

                assertThat(monitor.custodian().await(() -> isFree(monitor, VF0.toString()), Deadline.in(PATIENCE)))
                        .isTrue();
            } finally {
                end.countDown();
            }
        }
    }

    private static void await(CountDownLatch end) {
        try {
            assertThat(end.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void deviceThatIsPulledRightAfterItCouldNotBePreparedHasAnotherChance() throws Exception {
        assertThat(isFreeAfter(new Uevent("remove", PATH, "platform"))).isTrue();
    }

    @Test
    void echoOfAPreparationThatFailedIsNoChance() throws Exception {
        assertThat(isFreeAfter(
                        new Uevent("remove", PATH + "/fpga_manager/fpga0", "fpga_manager"),
                        new Uevent("add", PATH, "platform")))
                .isFalse();
    }

    /** Whether the device has another chance after these uevents. */
    private boolean isFreeAfter(Uevent... all) throws Exception {
        try (SimulatedNode node = SimulatedNode.unpack(DemoNode.tree(), directory.resolve("node"));
                Uevents uevents = new Uevents();
                Monitor monitor = Monitor.open(node.sysfs(), List.of(), uevents, Duration.ZERO)) {
            fail(monitor, DEVICE);
            for (Uevent one : all) {
                uevents.send(one.action(), one.devpath(), one.subsystem());
            }
            uevents.awaitTaken();
            return isFree(monitor, DEVICE);
        }
    }

    private static void fail(Monitor monitor, String id) {
        Custodian custodian = monitor.custodian();
        custodian.tell(
                id,
                new Event.Begun(Work.Kind.PREPARE, "", Instant.now()),
                new Event.Ended(Work.Kind.PREPARE, Optional.of("could not be prepared"), System.nanoTime()));
        assertThat(isFree(monitor, id)).isFalse();
    }

    private static boolean isFree(Monitor monitor, String id) {
        return monitor.custodian().of(id).isFree();
    }

    /** Uevents of a test. */
    private static final class Uevents implements UeventSource {

        private final BlockingQueue<Optional<Uevent>> queue = new LinkedBlockingQueue<>();
        private final CountDownLatch taken = new CountDownLatch(1);

        void send(String action, String path, String subsystem) {
            queue.add(Optional.of(new Uevent(action, path, subsystem)));
        }

        /** Waits until the listener has done with all of them, and ends it. */
        void awaitTaken() throws InterruptedException {
            close();
            assertThat(taken.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        }

        @Override
        public Optional<Uevent> next() {
            try {
                Optional<Uevent> next = queue.take();
                if (next.isEmpty()) {
                    taken.countDown();
                }
                return next;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return Optional.empty();
            }
        }

        @Override
        public void close() {
            queue.add(Optional.empty());
        }
    }
}
