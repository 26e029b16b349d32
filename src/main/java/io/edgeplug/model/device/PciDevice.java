package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;

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
        return function().numaNode();
    }

    @Override
    default boolean isNumaGuess() {
        return function().isNumaGuess();
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
        PciFunction function = function();
        return Stream.of(
                        rdmaDevices().stream().flatMap(rdma -> rdma.nodes().stream()),
                        function.driverDevices().nodes().stream(),
                        function.driverDevices().vdpas().stream().flatMap(vdpa -> vdpa.node().stream()))
                .flatMap(nodes -> nodes)
                .toList();
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
