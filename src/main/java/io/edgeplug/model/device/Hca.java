package io.edgeplug.model.device;

/**
 * A whole function with RDMA devices: a host channel adapter, or a network adapter with RDMA in hardware or software.
 */
public record Hca(PciFunction function, Health health) implements PciDevice {

    @Override
    public Kind kind() {
        return Kind.HCA;
    }

    @Override
    public Hca withHealth(Health other) {
        return new Hca(function, other);
    }
}
