package io.edgeplug.bench;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.system.systemd.Journal;
import io.edgeplug.system.udev.UdevMonitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.stream.Stream;

/**
 * From a uevent of this machine's kernel to the inventory: through udevd and its rules, and straight from the kernel.
 *
 * <p>The uevents are real, of a PCI function of this machine ({@code change}, written to its {@code uevent} file); what is
 * found there is a simulated function of the same address. A process of its own measures, in namespaces of its own, with a
 * udevd of its own.
 */
final class UdevFigures implements Section {

    private static final Path FUNCTIONS = Path.of("/sys/bus/pci/devices");
    private static final int ROUNDS = 300;
    private static final int WARM_UP = 50;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String RULES = "udev/90-edgeplug.rules";

    /** Its own sysfs, since an older one does not show what belongs to the namespace. */
    private static final String NAMESPACES = """
            mkdir -p /run/udev
            mount -t tmpfs none /run/udev
            mount -t sysfs none /sys
            ip link set lo up
            mkdir /run/udev/rules.d
            cp "$1" /run/udev/rules.d/
            if [ "$2" = udevd ]; then
                for udevd in /usr/lib/systemd/systemd-udevd /lib/systemd/systemd-udevd; do
                    [ -x $udevd ] && break
                done
                $udevd --daemon 2>/dev/null
                udevadm control --ping
            fi
            shift 2
            "$@"
            [ ! -S /run/udev/control ] || udevadm control --exit
            """;

    @Override
    public String name() {
        return "udev";
    }

    @Override
    public void measure(Consumer<Figure> figures) throws Exception {
        Optional<PciAddress> function = function();
        if (function.isEmpty() || (int) Files.getAttribute(Path.of("/proc/self"), "unix:uid") != 0) {
            System.out.println("NOT MEASURED: udev needs root and a machine with a PCI function");
            return;
        }
        figures.accept(inNamespaces("kernel", "uevent of the kernel -> inventory"));
        figures.accept(
                inNamespaces("udevd", "uevent through udevd -> inventory").above("uevent of the kernel -> inventory"));
    }

    private static Figure inNamespaces(String source, String name) throws IOException, InterruptedException {
        List<String> wrapper = List.of(
                "unshare",
                "--net",
                "--mount",
                "--propagation",
                "private",
                "sh",
                "-ec",
                NAMESPACES,
                "bench",
                RULES,
                source);
        return ChildJvm.run(wrapper, UdevFigures.class, name).iterator().next();
    }

    /** Measures in the namespaces that it is started in, and writes to a file. */
    public static void main(String[] args) throws Exception {
        Journal.toStderr(Level.SEVERE);
        PciAddress address = function().orElseThrow();
        Samples samples = new Samples();
        try (Rig rig = Rig.open(
                BigNode.tree(1).replace(BigNode.address(0).toString(), address.toString()),
                List.of(),
                node -> UdevMonitor.open(),
                Duration.ZERO,
                event -> {})) {
            for (int i = 0; i < WARM_UP + ROUNDS; i++) {
                long taken = change(rig, address, i % 2 == 0);
                if (i >= WARM_UP) {
                    samples.add(taken);
                }
            }
        }
        Report report = Report.comparedWith(Optional.empty());
        report.add(samples.millis(args[1]));
        report.write(Path.of(args[0]));
    }

    private static long change(Rig rig, PciAddress address, boolean breaks) throws Exception {
        if (breaks) {
            rig.node().fallOff(address);
        } else {
            rig.node().comeBack(address);
        }
        long generation = rig.monitor().current().generation();
        long began = System.nanoTime();
        Files.writeString(FUNCTIONS.resolve(address + "/uevent"), "change", StandardOpenOption.WRITE);
        Inventory newer = rig.monitor().inventories().awaitNewerThan(generation, PATIENCE);
        long taken = System.nanoTime() - began;
        if (newer.generation() == generation) {
            throw new TimeoutException("no uevent of " + address + " within " + PATIENCE.toSeconds() + " s");
        }
        return taken;
    }

    private static Optional<PciAddress> function() throws IOException {
        if (!Files.isDirectory(FUNCTIONS)) {
            return Optional.empty();
        }
        try (Stream<Path> all = Files.list(FUNCTIONS)) {
            return all.map(path -> path.getFileName().toString())
                    .sorted()
                    .flatMap(name -> PciAddress.parse(name).stream())
                    .findFirst();
        }
    }
}
