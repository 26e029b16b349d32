package io.edgeplug.model.device;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Something on this node that a container can be given. */
public sealed interface Device permits PciDevice, SoftwareHca, PlatformFpga, PathDevice, UsbDevice {

    /** The ID by which the kubelet knows the device. It has at most 120 characters and is unique on this node. */
    String id();

    Kind kind();

    /** Whether a container could use it now. */
    Health health();

    /** The nearest NUMA node. */
    default OptionalInt numaNode() {
        return OptionalInt.empty();
    }

    /**
     * Whether {@link #numaNode} is a guess from the functions around the device, because the kernel names no NUMA node.
     */
    default boolean isNumaGuess() {
        return false;
    }

    /** The RDMA devices of the device; most have none. */
    default List<RdmaDevice> rdmaDevices() {
        return List.of();
    }

    /** The network interfaces of the device; most have none. */
    default List<String> netNames() {
        return List.of();
    }

    /** The device nodes that it is now; none if they say nothing about which device it is. */
    default List<IdentifiedNode> identities() {
        return List.of();
    }

    /**
     * What is different about its nodes since a pod was given these, as the end of a sentence about it; empty if the pod
     * would still reach it.
     */
    default Optional<String> changeSince(List<IdentifiedNode> given) {
        return IdentifiedNode.change(given, identities());
    }

    /** Whether its paths may lead to another device later. They cannot where no link and no hardware is behind them. */
    default boolean mayLeadElsewhere() {
        return false;
    }

    /** The driver that is bound to it. */
    default Optional<String> driver() {
        return Optional.empty();
    }

    /** The same device with another health. */
    Device withHealth(Health health);
}
