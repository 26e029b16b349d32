package io.edgeplug.dra;

import io.edgeplug.container.Allocation;
import io.edgeplug.device.DeviceUnavailableException;
import io.edgeplug.dra.ClaimAllocation.Result;
import io.edgeplug.rules.ClaimChoice;
import io.edgeplug.rules.HandOver;
import io.edgeplug.supply.Resource;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A device that the scheduler has given to a claim, with the resource that it backs.
 *
 * @param id by which this node knows it: that of the device, or of a share
 */
record GivenDevice(Result result, Resource resource, String id) {

    /** What was chosen for it, of what its class leaves to claims. */
    ClaimChoice choice() throws IOException {
        return DeviceParameters.read(result, resource.deviceClass());
    }

    /** Refuses parameters with mistakes, and one address for several VFs: what a claim chooses is for all VFs of a request. */
    static void checkChoices(List<GivenDevice> all) throws IOException {
        Set<String> addresses = new HashSet<>();
        for (GivenDevice one : all) {
            Optional<String> mac = one.choice().vf().mac();
            if (mac.isPresent() && !addresses.add(mac.orElseThrow())) {
                throw new IOException(
                        "it chooses " + mac.orElseThrow()
                                + " for several VFs; give each VF a request of its own with its own vf.mac, or leave vf.mac out");
            }
        }
    }

    /** A container gets a request as a whole, so that a variable names all of its devices. */
    static Map<String, List<GivenDevice>> byRequest(List<GivenDevice> all) {
        return all.stream()
                .collect(Collectors.groupingBy(
                        one -> one.result().request() + " " + one.resource().name() + " "
                                + one.result().isForAdministrator(),
                        LinkedHashMap::new,
                        Collectors.toList()));
    }

    /** What a container gets of a request. */
    static Allocation allocate(List<GivenDevice> request) throws DeviceUnavailableException {
        Resource resource = request.getFirst().resource();
        Resource asked = request.getFirst().result().isForAdministrator() ? resource.handingNothingOver() : resource;
        return asked.allocate(List.of(ids(request)), HandOver.DEVICE_NODES).getFirst();
    }

    static Set<String> ids(List<GivenDevice> all) {
        return all.stream().map(GivenDevice::id).collect(Collectors.toSet());
    }
}
