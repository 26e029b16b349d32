package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Closing;
import io.edgeplug.model.custody.Work;
import io.edgeplug.model.device.Device;
import io.edgeplug.node.prepare.PrepareEvent;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What follows from events of work on devices. */
final class DeviceWorkTest {

    @TempDir
    private Path directory = Path.of("");

    @AutoClose
    private final Closing closing = new Closing();

    /** Whoever listens tries it again, so this would go on without end. */
    @Test
    void workThatCouldNotBeginWakesNobody() throws Exception {
        SupplyNode node = new SupplyNode(closing, directory);
        Uses uses = new Uses(node.node.sysfs(), node.monitor.custodian(), directory);
        DeviceWork work = new DeviceWork(node.monitor, uses, end -> {});
        AtomicInteger woken = new AtomicInteger();
        work.addListener(woken::incrementAndGet);
        Device device = node.monitor.current().devices().getFirst();

        work.tell(new PrepareEvent.DriverGivenBack(device, Optional.empty()));
        assertThat(woken).hasValue(0);

        work.tell(new PrepareEvent.Begun(device, PrepareEvent.Purpose.RETURN));
        assertThat(node.monitor.custodian().of(device.id()).work().map(Work::kind))
                .contains(Work.Kind.RETURN);
        work.tell(new PrepareEvent.DriverGivenBack(device, Optional.empty()));
        assertThat(woken).hasValue(2);
        assertThat(node.monitor.custodian().of(device.id()).isFree()).isTrue();
    }
}
