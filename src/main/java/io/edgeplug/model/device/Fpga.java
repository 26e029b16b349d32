package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;

/** An FPGA: a PCI function, or a part of one that can be handed over alone. */
public sealed interface Fpga extends PciDevice permits FpgaRegion, FpgaFunction {

    /** The images it is programmed with, as 32 hexadecimal digits or a UUID; none if it does not report them. */
    List<String> afuIds();

    /** The ID for which its bitstreams must be made, 32 hexadecimal digits; empty if it does not report one. */
    Optional<String> compatId();

    @Override
    Fpga withHealth(Health health);
}
