package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;

/**
 * A sub-function on the auxiliary bus: a network adapter that the PF's driver has made of a part of the PF. Its ID is
 * the kernel's name, such as {@code mlx5_core.sf.4}.
 *
 * @param function the PF, but with the driver, interfaces and RDMA devices of the sub-function
 * @param index the number that the administrator gave it ({@code sfnum})
 * @param physicalNetNames the PF's network interfaces
 * @param physicalAltNames their alternative names
 * @param representor the interface on the node that stands for the sub-function
 */
public record SubFunction(
        PciFunction function,
        String id,
        int index,
        List<String> physicalNetNames,
        List<String> physicalAltNames,
        Optional<String> representor,
        Health health)
        implements PfPart {

    public SubFunction {
        physicalNetNames = List.copyOf(physicalNetNames);
        physicalAltNames = List.copyOf(physicalAltNames);
    }

    @Override
    public PciAddress physicalFunction() {
        return function.address();
    }

    @Override
    public Kind kind() {
        return Kind.SF;
    }

    @Override
    public SubFunction withHealth(Health other) {
        return new SubFunction(function, id, index, physicalNetNames, physicalAltNames, representor, other);
    }
}
