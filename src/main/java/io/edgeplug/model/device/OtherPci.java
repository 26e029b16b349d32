package io.edgeplug.model.device;

/** A PCI function of no family that edgeplug treats specially. */
public record OtherPci(PciFunction function, Health health) implements PciDevice {

    @Override
    public Kind kind() {
        return Kind.PCI;
    }

    @Override
    public OtherPci withHealth(Health other) {
        return new OtherPci(function, other);
    }
}
