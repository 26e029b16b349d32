package io.edgeplug.device;

import java.util.List;
import java.util.Optional;

/**
 * A part of an Intel FPGA that holds accelerators, as DFL or OPAE shows it; see Documentation/fpga/dfl.rst in the kernel.
 *
 * @param region the kernel's name of it, which ends in a number: of DFL a region, of OPAE {@code intel-fpga-dev.0}
 * @param compatId what its bitstreams must be made for, 32 hexadecimal digits; empty where it cannot be programmed
 * @param afuIds what each of its ports is programmed with, 32 hexadecimal digits
 * @param nodes the nodes of its ports, {@code /dev/dfl-port.0}
 * @param engines the nodes of what manages it, {@code /dev/dfl-fme.0}
 */
public record FpgaRegion(
        PciFunction function,
        String region,
        Optional<String> compatId,
        List<String> afuIds,
        List<String> nodes,
        List<String> engines,
        Health health)
        implements Fpga {

    public FpgaRegion {
        afuIds = List.copyOf(afuIds);
        nodes = List.copyOf(nodes);
        engines = List.copyOf(engines);
    }

    @Override
    public String id() {
        return function.address() + "-" + region;
    }

    @Override
    public Kind kind() {
        return Kind.FPGA;
    }

    @Override
    public FpgaRegion withHealth(Health other) {
        return new FpgaRegion(function, region, compatId, afuIds, nodes, engines, other);
    }
}
