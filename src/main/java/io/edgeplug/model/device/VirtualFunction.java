package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;

/**
 * An SR-IOV virtual function.
 *
 * @param physicalFunction its PF
 * @param index its number among the VFs of that PF, from 0
 * @param physicalNetNames the PF's network interfaces, by whose names operators know the PF
 * @param physicalAltNames their alternative names
 * @param representor the interface on the node that stands for the VF, if the PF is a switch (switchdev)
 */
public record VirtualFunction(
        PciFunction function,
        PciAddress physicalFunction,
        int index,
        List<String> physicalNetNames,
        List<String> physicalAltNames,
        Optional<String> representor,
        Health health)
        implements PfPart {

    public VirtualFunction {
        physicalNetNames = List.copyOf(physicalNetNames);
        physicalAltNames = List.copyOf(physicalAltNames);
    }

    @Override
    public Kind kind() {
        return Kind.VF;
    }

    @Override
    public VirtualFunction withHealth(Health other) {
        return new VirtualFunction(
                function, physicalFunction, index, physicalNetNames, physicalAltNames, representor, other);
    }
}
