package io.edgeplug.api.dra;

import io.edgeplug.model.device.PodInterface;
import io.edgeplug.model.device.Shares;
import io.edgeplug.node.container.ClaimSpecs;
import io.edgeplug.node.pods.PreparedClaim;
import java.util.HashMap;
import java.util.LinkedHashMap;
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
        return !found(claim).isEmpty();
    }

    /** What the status of a ready claim says of them, by device. */
    Map<AllocatedClaim.Key, NetworkData> networks(PreparedClaim claim) {
        Map<AllocatedClaim.Key, NetworkData> networks = new HashMap<>();
        found(claim).forEach((device, moved) -> networks.put(AllocatedClaim.Key.of(device), NetworkData.of(moved)));
        return networks;
    }

    private Map<PreparedClaim.Device, PodInterface> found(PreparedClaim claim) {
        Map<PreparedClaim.Device, PodInterface> found = new LinkedHashMap<>();
        for (PreparedClaim.Device device : claim.devices()) {
            if (!device.isForAdministrator()) {
                interfaces.apply(claim.uid(), Shares.whole(device.id())).ifPresent(moved -> found.put(device, moved));
            }
        }
        return found;
    }

    /** By the name of the CDI device, which stands for all devices of a request with one resource. */
    private Map<String, Map<String, PodInterface>> of(PreparedClaim claim) {
        Map<String, String> names = new TreeMap<>();
        claim.devices()
                .forEach(device ->
                        device.cdi().ifPresent(cdi -> names.put(request(device), cdi.substring(cdi.indexOf('=') + 1))));
        Map<String, Map<String, PodInterface>> byName = new TreeMap<>();
        found(claim).forEach((device, moved) -> {
            String name = names.get(request(device));
            if (name != null) {
                byName.computeIfAbsent(name, none -> new TreeMap<>()).put(Shares.whole(device.id()), moved);
            }
        });
        return byName;
    }

    private static String request(PreparedClaim.Device device) {
        return device.request() + " " + device.resource();
    }
}
