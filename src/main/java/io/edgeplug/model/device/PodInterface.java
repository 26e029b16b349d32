package io.edgeplug.model.device;

import io.edgeplug.system.kernel.LinkAddress;
import java.util.List;
import java.util.Optional;

/**
 * The network interface of a device that a pod has or gets as its own.
 *
 * @param name in the pod
 * @param nodeName on the node; empty once the interface is in the pod
 * @param mac its hardware address, in lower case with colons; empty if it has none
 * @param addresses those that it has got for the pod
 */
public record PodInterface(String name, Optional<String> nodeName, String mac, List<LinkAddress> addresses) {

    public PodInterface {
        addresses = List.copyOf(addresses);
    }
}
