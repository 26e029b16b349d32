package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The programmable logic of a system on chip, which is not a PCI function.
 *
 * @param id the kernel's name of the platform device
 * @param driver of its FPGA manager
 */
public record PlatformFpga(String id, Optional<String> driver, Health health) implements Device {

    @Override
    public Kind kind() {
        return Kind.FPGA;
    }

    @Override
    public OptionalInt numaNode() {
        return OptionalInt.empty();
    }

    @Override
    public List<RdmaDevice> rdmaDevices() {
        return List.of();
    }

    @Override
    public PlatformFpga withHealth(Health other) {
        return new PlatformFpga(id, driver, other);
    }
}
