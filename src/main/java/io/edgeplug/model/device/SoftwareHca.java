package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;

/**
 * A software RDMA device (rxe, siw) on an interface that belongs to no PCI function. Its ID is its RDMA name.
 *
 * @param netName the interface it sends through; empty if that cannot be read
 */
public record SoftwareHca(RdmaDevice rdma, String netName, Health health) implements Device {

    @Override
    public String id() {
        return rdma.name();
    }

    @Override
    public Kind kind() {
        return Kind.HCA;
    }

    @Override
    public List<RdmaDevice> rdmaDevices() {
        return List.of(rdma);
    }

    @Override
    public List<String> netNames() {
        return List.of(netName);
    }

    @Override
    public List<IdentifiedNode> identities() {
        return IdentifiedNode.numbered(rdma.nodes());
    }

    @Override
    public Optional<String> changeSince(List<IdentifiedNode> given) {
        return IdentifiedNode.renumbered(given, identities());
    }

    @Override
    public SoftwareHca withHealth(Health other) {
        return new SoftwareHca(rdma, netName, other);
    }
}
