package io.edgeplug.device;

import java.util.Locale;
import java.util.Optional;

/**
 * A port of an RDMA device; its states are the kernel's words, empty where it does not tell.
 *
 * @param number from 1
 * @param state logical, as {@code ACTIVE} or {@code DOWN}
 * @param physicalState as {@code LinkUp} or {@code Polling}
 * @param linkLayer {@code InfiniBand} or {@code Ethernet}
 * @param partitionKey the first of its P_Keys, {@code 0xffff}
 * @param guid of an InfiniBand port, {@code f452:1403:008f:2321}; empty for others
 */
public record RdmaPort(
        int number, String state, String physicalState, String linkLayer, String partitionKey, String guid) {

    /** The link's type as selectors name it: {@code ether} or {@code infiniband}. */
    public Optional<String> linkType() {
        return switch (linkLayer) {
            case "Ethernet" -> Optional.of("ether");
            case "InfiniBand" -> Optional.of(linkLayer.toLowerCase(Locale.ROOT));
            default -> Optional.empty();
        };
    }
}
