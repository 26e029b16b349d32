package io.edgeplug.model.device;

import java.util.Optional;

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
    public PlatformFpga withHealth(Health other) {
        return new PlatformFpga(id, driver, other);
    }
}
