package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A network adapter that is a part of a PF: a VF or a sub-function. */
public sealed interface PfPart extends PciDevice permits VirtualFunction, SubFunction {

    PciAddress physicalFunction();

    /** The PF's network interfaces, by whose names operators know the PF. */
    List<String> physicalNetNames();

    /** Their alternative names. */
    List<String> physicalAltNames();

    /** Its number among the VFs or sub-functions of that PF. */
    int index();

    /** Its representor on the node, if the PF is a switch (switchdev). */
    Optional<String> representor();

    @Override
    PfPart withHealth(Health health);

    /** The names and alternative names of the PF's interfaces. */
    default List<String> physicalNames() {
        return Stream.concat(physicalNetNames().stream(), physicalAltNames().stream())
                .toList();
    }
}
