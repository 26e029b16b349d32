package io.edgeplug.model.device;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * The place of a PCI function in its node.
 *
 * @param numaNode the nearest NUMA node, from 0; empty if none is known
 * @param isNumaGuess whether the NUMA node is a guess from the functions around it, because the firmware names none
 * @param iommuGroup the number of its IOMMU group
 * @param acpiIndex the firmware's number of an onboard device ({@code acpi_index})
 * @param rootPort the function below the host bridge through which it is reached; empty if it is at the host bridge
 *     itself
 * @param physicalFunction the PF if the function is a VF
 */
public record PciTopology(
        OptionalInt numaNode,
        boolean isNumaGuess,
        OptionalInt iommuGroup,
        OptionalLong acpiIndex,
        Optional<PciAddress> rootPort,
        Optional<PciAddress> physicalFunction) {

    static final PciTopology UNKNOWN = new PciTopology(
            OptionalInt.empty(), false, OptionalInt.empty(), OptionalLong.empty(), Optional.empty(), Optional.empty());
}
