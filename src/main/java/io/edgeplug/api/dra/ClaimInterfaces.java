package io.edgeplug.api.dra;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PodInterface;
import io.edgeplug.model.device.Shares;
import io.edgeplug.node.container.ClaimSpecs;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.prepare.InterfaceNotes;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The network interfaces of the devices of claims. The kubelet asks once for a claim, and not before each start of a
 * container. So the specification of a claim follows where its interfaces are.
 *
 * @param here the device of that ID, if it is on the node
 */
record ClaimInterfaces(InterfaceNotes notes, Function<String, Optional<Device>> here) {

    /** The specification of a ready claim, with its interfaces as they are now. */
    String specification(PreparedClaim claim) {
        return ClaimSpecs.withInterfaces(claim.specification().orElse(""), of(claim));
    }

    boolean hasAny(PreparedClaim claim) {
        return !of(claim).isEmpty();
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
                here.apply(id)
                        .flatMap(one -> notes.ofUser(claim.uid(), one))
                        .ifPresent(moved -> found.computeIfAbsent(name, none -> new TreeMap<>())
                                .put(id, moved));
            }
        }
        return found;
    }
}
