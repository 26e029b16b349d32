package io.edgeplug.node.vfs;

import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.rules.Step;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The state of a PF from which its steps are planned.
 *
 * @param settings of its VFs, by their numbers; those of a missing VF are not known
 * @param permanentAddress the MAC address from its production, if it differs from the current one
 * @param isAutoprobeLeftOff whether a killed run has left {@code sriov_drivers_autoprobe} off
 * @param isIommuOptional whether VFIO was told to take functions without an IOMMU ({@code enable_unsafe_noiommu_mode})
 * @param drivers whose modules are loaded
 */
record PfReading(
        PhysicalFunction pf,
        Map<Integer, Step.Vf> settings,
        Optional<String> permanentAddress,
        boolean isAutoprobeLeftOff,
        boolean isIommuOptional,
        Set<String> drivers) {

    PfReading {
        settings = Map.copyOf(settings);
        drivers = Set.copyOf(drivers);
    }

    /**
     * The address from which fixed addresses of its VFs are derived; empty if it has no interface, or udev renames that
     * just now.
     */
    Optional<String> address() {
        return permanentAddress
                .or(() -> pf.port().flatMap(PhysicalFunction.Port::address))
                .filter(address -> !address.isEmpty());
    }

    /** The GUID from which fixed GUIDs of its VFs are derived; empty if it has no RDMA device, or that tells none. */
    Optional<String> nodeGuid() {
        return pf.device().rdmaDevices().stream()
                .map(RdmaDevice::nodeGuid)
                .findFirst()
                .filter(guid -> !guid.isEmpty());
    }

    /** Whether its ports are InfiniBand, so that VFs have GUIDs and no MAC addresses. */
    boolean isInfiniband() {
        return pf.device().function().linkTypes().contains("infiniband");
    }
}
