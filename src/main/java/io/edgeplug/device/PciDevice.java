package io.edgeplug.device;

import java.util.List;
import java.util.OptionalInt;

/** A device that is one PCI function; its ID is the function's address, by which Multus and the CNIs look it up. */
public sealed interface PciDevice extends Device permits VirtualFunction, Hca, Nic, OtherPci {

    /** What the kernel says of the function. */
    PciFunction function();

    @Override
    default String id() {
        return function().address().toString();
    }

    @Override
    default OptionalInt numaNode() {
        return function().numaNode();
    }

    @Override
    default List<RdmaDevice> rdmaDevices() {
        return function().rdmaDevices();
    }

    @Override
    PciDevice withHealth(Health health);
}
