package io.edgeplug.system.udev;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.kernel.OwnNamespaces;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Real uevents of this node's kernel, with and without a real udevd. */
@ExtendWith(OwnNamespaces.class)
@Timeout(60)
@NeedsRoot("is in namespaces of its own")
final class UdevMonitorTest {

    private static final int BUFFER_BYTES = 1 << 20;
    private static final Duration SOON = Duration.ofSeconds(1);
    private static final Duration NEVER = Duration.ofHours(1);

    @Test
    void kernelsUeventsAreHeardWhereNoUdevdRuns() throws Exception {
        try (UdevMonitor monitor = UdevMonitor.open()) {
            Path function = function();
            change(function);

            assertThat(await(monitor, event -> event.subsystem().equals("pci")))
                    .isEqualTo(new Uevent("change", devpath(function), "pci"));
        }
    }

    @Test
    void ueventsAreHeardAfterUdevdsRulesHaveRun() throws Exception {
        RealUdevd.installRules();
        Path mark = Path.of("/run/udev/rules.d/91-test.rules");
        Files.writeString(mark, "SUBSYSTEM==\"pci\", RUN{program}+=\"/bin/touch /run/udev/ran\"\n");
        try (RealUdevd udevd = RealUdevd.start();
                UdevMonitor monitor = UdevMonitor.open()) {
            change(function());

            assertThat(await(monitor, event -> event.subsystem().equals("pci")).action())
                    .isEqualTo("change");
            assertThat(Path.of("/run/udev/ran")).exists();
        }
    }

    @Test
    void interfacesOfNoFunctionAreNotHeardWithOurRules() throws Exception {
        RealUdevd.installRules();
        try (RealUdevd udevd = RealUdevd.start();
                UdevMonitor monitor = UdevMonitor.open()) {
            for (int i = 0; i < 10; i++) {
                assertThat(RealUdevd.run("ip", "link", "add", "veth" + i, "type", "veth", "peer", "name", "peer" + i)
                                .exit())
                        .isZero();
            }
            assertThat(RealUdevd.run("udevadm", "settle", "--timeout=20").exit())
                    .isZero();
            change(function());

            assertThat(monitor.next().orElseThrow().subsystem()).isEqualTo("pci");
        }
    }

    @Test
    void interfacesAreHeardFromUdevdWhereOurRulesAreNotInstalled() throws Exception {
        try (RealUdevd udevd = RealUdevd.start();
                UdevMonitor monitor = UdevMonitor.open()) {
            RealUdevd.run("ip", "link", "add", "veth0", "type", "veth", "peer", "name", "peer0");

            assertThat(await(monitor, event -> event.devpath().endsWith("/veth0")))
                    .isEqualTo(new Uevent("add", "/devices/virtual/net/veth0", "net"));
        }
    }

    @Test
    void udevdThatComesAndGoesIsNoticedAndNothingIsLost() throws Exception {
        RealUdevd.installRules();
        try (UdevMonitor monitor = UdevMonitor.open(BUFFER_BYTES, SOON)) {
            try (RealUdevd udevd = RealUdevd.start()) {
                await(monitor, Uevent.MISSED::equals);
                change(function());
                await(monitor, event -> event.subsystem().equals("pci"));

                udevd.kill();
                assertThat(Path.of("/run/udev/control")).exists();
                change(function());
                await(monitor, Uevent.MISSED::equals);
            }
            change(function());
            await(monitor, event -> event.subsystem().equals("pci"));
        }
    }

    @Test
    void udevdThatComesAndGoesInOrderIsNoticedByItsSocketAlone() throws Exception {
        try (UdevMonitor monitor = UdevMonitor.open(BUFFER_BYTES, NEVER)) {
            try (RealUdevd udevd = RealUdevd.start()) {
                await(monitor, Uevent.MISSED::equals);
            }
            RealUdevd second = RealUdevd.start();
            await(monitor, Uevent.MISSED::equals);
            second.close();
        }
    }

    @Test
    void udevdThatIsReplacedByAnotherIsNoticed() throws Exception {
        RealUdevd first = RealUdevd.start();
        try (UdevMonitor monitor = UdevMonitor.open()) {
            first.kill();
            try (RealUdevd second = RealUdevd.start()) {
                await(monitor, Uevent.MISSED::equals);
            }
        }
    }

    @Test
    void moreUeventsThanThereIsRoomForAreTold() throws Exception {
        try (UdevMonitor monitor = UdevMonitor.open(4096, SOON)) {
            for (int i = 0; i < 200; i++) {
                change(function());
            }

            await(monitor, Uevent.MISSED::equals);
        }
    }

    @Test
    void closingEndsTheOneWhoWaits() throws Exception {
        UdevMonitor monitor = UdevMonitor.open();
        CompletableFuture<Optional<Uevent>> last = new CompletableFuture<>();
        Thread reader = Thread.ofPlatform().start(() -> {
            Optional<Uevent> event = monitor.next();
            while (event.isPresent()) {
                event = monitor.next();
            }
            last.complete(event);
        });

        monitor.close();

        assertThat(last.get(10, TimeUnit.SECONDS)).isEmpty();
        assertThat(monitor.next()).isEmpty();
        monitor.close();
        reader.join();
    }

    @Test
    void nothingStaysOpenAfterClosing() throws Exception {
        UdevMonitor.open().close();
        long before = descriptors();

        for (int i = 0; i < 100; i++) {
            UdevMonitor.open().close();
        }

        assertThat(descriptors()).isLessThan(before + 50);
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
    }

    static Uevent await(UdevMonitor monitor, Predicate<Uevent> wanted) {
        return Stream.generate(() -> monitor.next().orElseThrow())
                .filter(wanted)
                .findFirst()
                .orElseThrow();
    }

    /** Any function of this node, whose uevents are asked for and change nothing. */
    static Path function() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/sys/bus/pci/devices"))) {
            return all.sorted().findFirst().orElseThrow().toRealPath();
        }
    }

    static void change(Path device) throws IOException {
        Files.writeString(device.resolve("uevent"), "change");
    }

    private static String devpath(Path device) {
        return device.toString().substring("/sys".length());
    }
}
