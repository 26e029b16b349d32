package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.TestDaemon;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.prepare.Preparer;
import io.edgeplug.system.flow.Deadline;
import java.nio.file.Path;

/** Another daemon on the node, which follows another kubelet or has just started. It knows nothing of what was before. */
public final class DaemonBeside {

    private DaemonBeside() {}

    /** Has it return functions to their host driver that nobody holds, as far as it knows, and waits for the end. */
    public static void returnDrivers(TestDaemon daemon, Path kubeletDir) throws Exception {
        try (Monitor monitor =
                        Monitor.open(daemon.node.sysfs(), daemon.classes, daemon.node.uevents(), TestDaemon.PATIENCE);
                Preparer preparer = new Preparer(daemon.node.sysfs(), kubeletDir, event -> {})) {
            Uses uses = new Uses(daemon.node.sysfs(), monitor.custodian(), kubeletDir);
            HolderReading reading = new HolderReading(
                    monitor, uses, new GivenNodes(daemon.node.sysfs(), monitor.custodian()), kubeletDir);
            boolean ignored = new Releases(monitor, preparer, uses, reading).returnDrivers(kubeletDir);
            Deadline patience = Deadline.in(TestDaemon.PATIENCE);
            while (monitor.current().devices().stream()
                    .anyMatch(one -> one instanceof PciDevice pci && preparer.isGivingBackDriver(pci))) {
                assertThat(patience.isOver()).isFalse();
                Thread.onSpinWait();
            }
        }
    }
}
