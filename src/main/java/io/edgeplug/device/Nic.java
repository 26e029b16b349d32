package io.edgeplug.device;

/** A whole network adapter's function: a PF, or one of an adapter without SR-IOV. */
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
