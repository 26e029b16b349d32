package io.edgeplug.api.dra;

import io.edgeplug.model.device.PodInterface;
import io.edgeplug.model.device.Shares;
import io.edgeplug.node.container.ClaimSpecs;
import io.edgeplug.node.pods.PreparedClaim;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * The network interfaces of the devices of claims. The kubelet asks once for a claim, and not before each start of a
 * container. So the specification of a claim follows where its interfaces are, and its status tells of them.
 *
 * @param interfaces that of a device as a claim has it, by the claim's UID and the device's ID
 */
record ClaimInterfaces(BiFunction<String, String, Optional<PodInterface>> interfaces) {

    /** The specification of a ready claim, with its interfaces as they are now. */
    String specification(PreparedClaim claim) {
        return ClaimSpecs.withInterfaces(claim.specification().orElse(""), of(claim));
    }

    boolean hasAny(PreparedClaim claim) {
        return !of(claim).isEmpty();
    }

    /** What the status of a ready claim says of them, by device. */
    Map<AllocatedClaim.Key, NetworkData> networks(PreparedClaim claim) {
        Map<AllocatedClaim.Key, NetworkData> found = new HashMap<>();
        for (PreparedClaim.Device device : claim.devices()) {
            interfaces
                    .apply(claim.uid(), Shares.whole(device.id()))
                    .ifPresent(moved -> found.put(AllocatedClaim.Key.of(device), NetworkData.of(moved)));
        }
        return found;
    }

    /** By the name of the CDI device, which stands for all devices of a request with one resource. */
    private Map<String, Map<String, PodInterface>> of(PreparedClaim claim) {
        Map<String, String> names = new TreeMap<>();
        Map<String, Map<String, PodInterface>> found = new TreeMap<>();
        for (PreparedClaim.Device device : claim.devices()) {
            if (device.isForAdministrator()) {
                continue;
            }
            String request = device.request() + " " + device.resource();
            device.cdi().ifPresent(cdi -> names.put(request, cdi.substring(cdi.indexOf('=') + 1)));
            String name = names.get(request);
            String id = Shares.whole(device.id());
            if (name != null) {
                interfaces
                        .apply(claim.uid(), id)
                        .ifPresent(moved -> found.computeIfAbsent(name, none -> new TreeMap<>())
                                .put(id, moved));
            }
        }
        return found;
    }
}
