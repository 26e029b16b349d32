package io.edgeplug.model.device;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * A device that is one PCI function or a part of one. Its ID is the address of the function, by which Multus and CNIs
 * look it up. The ID of a part has a suffix, or is the kernel's name for the part.
 */
public sealed interface PciDevice extends Device permits PfPart, Fpga, Hca, Nic, OtherPci {

    /** The function as the kernel shows it. */
    PciFunction function();

    @Override
    default String id() {
        return function().address().toString();
    }

    @Override
    default Optional<String> driver() {
        return function().driver();
    }

    @Override
    default OptionalInt numaNode() {
        return function().topology().numaNode();
    }

    @Override
    default boolean isNumaGuess() {
        return function().topology().isNumaGuess();
    }

    @Override
    default List<RdmaDevice> rdmaDevices() {
        return function().rdmaDevices();
    }

    @Override
    default List<String> netNames() {
        return function().netNames();
    }

    /** The nodes that drivers have made of it, but for those of VFIO, whose numbers stay for a boot. */
    default List<String> nodes() {
        DriverDevices driverDevices = function().driverDevices();
        List<String> nodes = new ArrayList<>();
        rdmaDevices().forEach(rdma -> nodes.addAll(rdma.nodes()));
        nodes.addAll(driverDevices.nodes());
        driverDevices.vdpas().forEach(vdpa -> vdpa.node().ifPresent(nodes::add));
        return List.copyOf(nodes);
    }

    @Override
    default List<IdentifiedNode> identities() {
        return IdentifiedNode.numbered(nodes());
    }

    @Override
    default Optional<String> changeSince(List<IdentifiedNode> given) {
        return IdentifiedNode.renumbered(given, identities());
    }

    @Override
    PciDevice withHealth(Health health);
}
