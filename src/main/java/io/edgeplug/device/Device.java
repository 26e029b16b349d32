package io.edgeplug.device;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Something on this node that a container can be given. */
public sealed interface Device permits PciDevice, SoftwareHca, PlatformFpga, PathDevice {

    /** Names the device to the kubelet: at most 120 characters, and on this node no other device's. */
    String id();

    /** The family it belongs to. */
    Kind kind();

    /** Whether a container could use it now. */
    Health health();

    /** The NUMA node it is nearest to. */
    OptionalInt numaNode();

    /** Whether the kernel names no NUMA node, and {@link #numaNode} follows from what is around the device. */
    default boolean isNumaGuess() {
        return false;
    }

    /** What a container could do RDMA with; none for most. */
    List<RdmaDevice> rdmaDevices();

    /** The driver that is bound to it. */
    default Optional<String> driver() {
        return Optional.empty();
    }

    /** The same device in that state of health. */
    Device withHealth(Health health);
}
