package io.edgeplug.device;

import java.util.List;
import java.util.Optional;

/** An adapter of its own that was cut out of a PF. */
public sealed interface PfPart extends PciDevice permits VirtualFunction, SubFunction {

    /** The PF. */
    PciAddress physicalFunction();

    /** The PF's network interfaces, by which operators know it. */
    List<String> physicalNetNames();

    /** Its number among its like of that PF. */
    int index();

    /** The interface on the node that stands for it, where the PF is a switch (switchdev). */
    Optional<String> representor();

    @Override
    PfPart withHealth(Health health);
}
