package io.edgeplug.vfs;

import io.edgeplug.device.PhysicalFunction;
import io.edgeplug.rules.Step;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is known of a PF before it is planned what to do.
 *
 * @param settings what it says of its VFs, by their numbers; of one that is missing, nothing is known
 * @param permanentAddress the MAC address that it was made with, where that is not its current one
 * @param isAutoprobeLeftOff whether a run that was killed has turned {@code sriov_drivers_autoprobe} off
 * @param drivers those whose modules are loaded
 */
record PfReading(
        PhysicalFunction pf,
        Map<Integer, Step.Vf> settings,
        Optional<String> permanentAddress,
        boolean isAutoprobeLeftOff,
        Set<String> drivers) {

    PfReading {
        settings = Map.copyOf(settings);
        drivers = Set.copyOf(drivers);
    }

    /** By which fixed addresses of its VFs are derived; empty if it has no interface. */
    Optional<String> address() {
        return permanentAddress.or(() -> pf.port().flatMap(PhysicalFunction.Port::address));
    }

    /** Whether its ports are InfiniBand's, so that VFs have GUIDs and no MAC addresses. */
    boolean isInfiniband() {
        return pf.device().function().linkTypes().contains("infiniband");
    }
}
