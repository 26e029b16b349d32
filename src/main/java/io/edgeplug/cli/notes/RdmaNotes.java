package io.edgeplug.cli.notes;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.rules.DeviceClass;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** Notes on RDMA that works in part only. */
public final class RdmaNotes {

    private RdmaNotes() {}

    /** A line for each reason, with some of the devices that the class offers. */
    public static List<String> of(DeviceClass one, List<Device> devices) {
        List<String> notes = new ArrayList<>();
        List<String> withoutGuid = ids(devices, RdmaDevice::hasNoNodeGuid);
        if (!withoutGuid.isEmpty()) {
            notes.add(
                    "rdma_cm finds no connections, because the node GUID is zero until the PF has set a MAC address for the VF: "
                            + ClassNotes.some(withoutGuid));
        }
        List<String> withoutManager = ids(devices, RdmaNotes::lacksManager);
        if (!withoutManager.isEmpty()) {
            notes.add("the module rdma_ucm is not loaded, so containers get no /dev/infiniband/rdma_cm, without which"
                    + " librdmacm finds no connections: " + ClassNotes.some(withoutManager));
        }
        return notes;
    }

    private static List<String> ids(List<Device> devices, Predicate<RdmaDevice> isMeant) {
        return devices.stream()
                .filter(device -> device.health().isHealthy()
                        && device.rdmaDevices().stream().anyMatch(isMeant))
                .map(Device::id)
                .toList();
    }

    private static boolean lacksManager(RdmaDevice rdma) {
        return rdma.nodes().stream().anyMatch(node -> node.contains("/uverbs"))
                && !rdma.nodes().contains("/dev/infiniband/rdma_cm");
    }
}
