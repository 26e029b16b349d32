package io.edgeplug.model.device;

import java.util.Locale;
import java.util.Optional;

/**
 * A port of an RDMA device. Its states are the kernel's words, and empty if the kernel does not report them.
 *
 * @param number from 1
 * @param state logical, such as {@code ACTIVE} or {@code DOWN}
 * @param physicalState such as {@code LinkUp} or {@code Polling}
 * @param linkLayer {@code InfiniBand} or {@code Ethernet}
 * @param partitionKey the first of its P_Keys, such as {@code 0xffff}
 * @param guid of an InfiniBand port, such as {@code f452:1403:008f:2321}; empty for others
 */
public record RdmaPort(
        int number, String state, String physicalState, String linkLayer, String partitionKey, String guid) {

    /** The type of the link as selectors name it, {@code ether} or {@code infiniband}. */
    public Optional<String> linkType() {
        return switch (linkLayer) {
            case "Ethernet" -> Optional.of("ether");
            case "InfiniBand" -> Optional.of(linkLayer.toLowerCase(Locale.ROOT));
            default -> Optional.empty();
        };
    }
}
