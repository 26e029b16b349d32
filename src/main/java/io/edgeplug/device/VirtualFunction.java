package io.edgeplug.device;

import java.util.List;

/**
 * An SR-IOV virtual function.
 *
 * @param physicalFunction the PF it is a part of
 * @param index its number among the VFs of that PF, from 0
 * @param physicalNetNames the PF's network interfaces, by which operators know it
 */
public record VirtualFunction(
        PciFunction function, PciAddress physicalFunction, int index, List<String> physicalNetNames, Health health)
        implements PciDevice {

    public VirtualFunction {
        physicalNetNames = List.copyOf(physicalNetNames);
    }

    @Override
    public Kind kind() {
        return Kind.VF;
    }

    @Override
    public VirtualFunction withHealth(Health other) {
        return new VirtualFunction(function, physicalFunction, index, physicalNetNames, other);
    }
}
