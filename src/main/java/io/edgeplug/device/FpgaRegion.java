package io.edgeplug.device;

import java.util.List;

/**
 * A region of a DFL FPGA (device feature list) that holds accelerators; see Documentation/fpga/dfl.rst in the kernel.
 *
 * @param region the kernel's name of it, which ends in a number
 * @param afuIds what each of its ports is programmed with, 32 hexadecimal digits
 * @param nodes the nodes of its ports, {@code /dev/dfl-port.0}
 */
public record FpgaRegion(PciFunction function, String region, List<String> afuIds, List<String> nodes, Health health)
        implements PciDevice {

    public FpgaRegion {
        afuIds = List.copyOf(afuIds);
        nodes = List.copyOf(nodes);
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
        return new FpgaRegion(function, region, afuIds, nodes, other);
    }
}
