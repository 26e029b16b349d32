package io.edgeplug.device;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A device that is one PCI function or a part of one; its ID is the function's address, by which Multus and the CNIs look
 * it up, with a suffix if it is a part, unless the kernel has a name for the part.
 */
public sealed interface PciDevice extends Device permits PfPart, Fpga, Hca, Nic, OtherPci {

    /** What the kernel says of the function. */
    PciFunction function();

    @Override
    default String id() {
        return function().address().toString();
    }

    @Override
    default Optional<String> driver() {
        return function().driver();
    }

    @Override
    default OptionalInt numaNode() {
        return function().numaNode();
    }

    @Override
    default boolean isNumaGuess() {
        return function().isNumaGuess();
    }

    @Override
    default List<RdmaDevice> rdmaDevices() {
        return function().rdmaDevices();
    }

    @Override
    PciDevice withHealth(Health health);
}
