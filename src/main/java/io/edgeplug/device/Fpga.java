package io.edgeplug.device;

import java.util.List;
import java.util.Optional;

/** A PCI function that is an FPGA, or the part of one that can be handed over alone. */
public sealed interface Fpga extends PciDevice permits FpgaRegion, FpgaFunction {

    /** What it is programmed with: 32 hexadecimal digits, or a UUID; none where it does not tell. */
    List<String> afuIds();

    /** What its bitstreams must be made for, 32 hexadecimal digits; empty where it does not tell. */
    Optional<String> compatId();

    @Override
    Fpga withHealth(Health health);
}
