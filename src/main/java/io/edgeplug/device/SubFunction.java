package io.edgeplug.device;

import java.util.List;
import java.util.Optional;

/**
 * A sub-function: a network adapter of its own that a PF's driver has cut out of the PF, on the auxiliary bus; its ID is
 * the kernel's name of it, {@code mlx5_core.sf.4}.
 *
 * @param function the PF, with the driver, interfaces, RDMA devices and the like of the sub-function instead of its own
 * @param index the number that the administrator gave it ({@code sfnum})
 * @param physicalNetNames the PF's network interfaces
 * @param representor the interface on the node that stands for the sub-function
 */
public record SubFunction(
        PciFunction function,
        String id,
        int index,
        List<String> physicalNetNames,
        Optional<String> representor,
        Health health)
        implements PfPart {

    public SubFunction {
        physicalNetNames = List.copyOf(physicalNetNames);
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
        return new SubFunction(function, id, index, physicalNetNames, representor, other);
    }
}
