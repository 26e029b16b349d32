package io.edgeplug.model.device;

/** A whole function of a network adapter: a PF, or a function without SR-IOV. */
public record Nic(PciFunction function, Health health) implements PciDevice {

    @Override
    public Kind kind() {
        return Kind.NIC;
    }

    @Override
    public Nic withHealth(Health other) {
        return new Nic(function, other);
    }
}
