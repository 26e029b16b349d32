package io.edgeplug.device;

import java.util.OptionalInt;

/** A device that is one PCI function; its ID is the function's address, by which Multus and the CNIs look it up. */
public sealed interface PciDevice extends Device permits VirtualFunction, Nic, OtherPci {

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
    PciDevice withHealth(Health health);
}
