package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.udev.Uevent;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a uevent asks to look at. */
@Timeout(10)
final class ScanRequestsTest {

    private static final String VF = "/devices/pci0000:3a/0000:3a:00.0/0000:3b:01.2";

    private final ScanRequests requests = new ScanRequests();

    @Test
    void functionOfAnInterfaceOrAnRdmaDeviceIsLookedAt() throws Exception {
        requests.add(new Uevent("add", VF, "pci"));
        requests.add(new Uevent("add", VF + "/net/ens1f0v2", "net"));
        requests.add(new Uevent("add", VF + "/infiniband/mlx5_2", "infiniband"));

        ScanRequests.Batch batch = requests.await(Deadline.in(Duration.ZERO));

        assertThat(batch.functions().keySet()).isEqualTo(Set.of(new PciAddress(0, 0x3b, 1, 2)));
        assertThat(batch.everything() || batch.withoutFunction()).isFalse();
    }

    @Test
    void interfacesOfNoFunctionAskForNothing() throws Exception {
        for (String name : new String[] {"veth1a2b", "docker0", "cali7", "bond0", "lo"}) {
            requests.add(new Uevent("add", "/devices/virtual/net/" + name, "net"));
        }
        requests.add(new Uevent("add", "/devices/virtual/misc/tun", "misc"));

        assertThat(requests.await(Deadline.in(Duration.ZERO)))
                .isEqualTo(new ScanRequests.Batch(1, Map.of(), Map.of(), Map.of(), false, false));
    }

    @Test
    void fpgaOfASystemOnChipAsksForNoFunction() throws Exception {
        requests.add(new Uevent("change", "/devices/platform/fpga-full/fpga_region/region0", "fpga_region"));

        assertThat(requests.await(Deadline.in(Duration.ZERO)))
                .isEqualTo(new ScanRequests.Batch(1, Map.of(), Map.of(), Map.of(), true, false));
    }

    @Test
    void rdmaInSoftwareAndMissedUeventsAskForEverything() throws Exception {
        Uevent[] all = {
            Uevent.MISSED,
            new Uevent("add", "/devices/virtual/infiniband/rxe0", "infiniband"),
            new Uevent("add", "/devices/virtual/misc/rdma_cm", "misc"),
        };
        for (Uevent event : all) {
            requests.add(event);
            assertThat(requests.await(Deadline.in(Duration.ZERO)).everything())
                    .as(event.devpath())
                    .isTrue();
        }
    }

    @Test
    void absurdPathsAskForNoMoreThanAFunction() throws Exception {
        requests.add(new Uevent("add", "/devices/../../etc/0000:3b:01.2/../../passwd", "pci"));
        requests.add(new Uevent("add", "/devices/" + "x/".repeat(5000), "pci"));

        assertThat(requests.await(Deadline.in(Duration.ZERO)).functions().keySet())
                .isEqualTo(Set.of(new PciAddress(0, 0x3b, 1, 2)));
    }
}
