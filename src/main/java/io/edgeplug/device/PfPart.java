package io.edgeplug.device;

import java.util.List;
import java.util.Optional;

/** A network adapter that is a part of a PF: a VF or a sub-function. */
public sealed interface PfPart extends PciDevice permits VirtualFunction, SubFunction {

    /** The PF. */
    PciAddress physicalFunction();

    /** The PF's network interfaces, by whose names operators know the PF. */
    List<String> physicalNetNames();

    /** Its number among the VFs or sub-functions of that PF. */
    int index();

    /** Its representor on the node, if the PF is a switch (switchdev). */
    Optional<String> representor();

    @Override
    PfPart withHealth(Health health);
}
