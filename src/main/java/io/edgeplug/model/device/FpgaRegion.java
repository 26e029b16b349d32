package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;

/**
 * A part of an Intel FPGA that holds accelerators, from DFL or OPAE; see Documentation/fpga/dfl.rst in the kernel.
 *
 * @param region the kernel's name, which ends in a number: a region of DFL, or {@code intel-fpga-dev.0} of OPAE
 * @param compatId the ID for which its bitstreams must be made, 32 hexadecimal digits; empty if it cannot be programmed
 * @param afuIds the image in each of its ports, 32 hexadecimal digits
 * @param nodes the nodes of its ports, such as {@code /dev/dfl-port.0}
 * @param engines the nodes of its management engines, such as {@code /dev/dfl-fme.0}
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
