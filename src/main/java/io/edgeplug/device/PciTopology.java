package io.edgeplug.device;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Where a PCI function is in its node.
 *
 * @param numaNode the node it is nearest to, from 0; empty where none is known
 * @param isNumaGuess whether the firmware names no node, and this one follows from what is around the function
 * @param iommuGroup the number of the group it is isolated in
 * @param acpiIndex which onboard device it is, as the firmware counts them ({@code acpi_index})
 * @param rootPort the function below the host bridge through which it is reached; empty if it sits there itself
 */
public record PciTopology(
        OptionalInt numaNode,
        boolean isNumaGuess,
        OptionalInt iommuGroup,
        OptionalLong acpiIndex,
        Optional<PciAddress> rootPort) {

    static final PciTopology UNKNOWN =
            new PciTopology(OptionalInt.empty(), false, OptionalInt.empty(), OptionalLong.empty(), Optional.empty());
}
