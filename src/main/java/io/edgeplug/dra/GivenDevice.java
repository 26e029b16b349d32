package io.edgeplug.dra;

import io.edgeplug.container.Allocation;
import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceUnavailableException;
import io.edgeplug.device.PrepareException;
import io.edgeplug.dra.ClaimAllocation.Result;
import io.edgeplug.flow.Deadline;
import io.edgeplug.rules.ClaimChoice;
import io.edgeplug.rules.HandOver;
import io.edgeplug.supply.Resource;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * A device that the scheduler has given to a claim, and its resource.
 *
 * @param device the ID of the whole device on this node
 * @param ids the same if it is not shared, and else the IDs of shares; none as long as no shares are chosen
 */
record GivenDevice(Result result, Resource resource, String device, List<String> ids) {

    /** A look at all devices of a class takes some milliseconds, unless files are on a server that does not answer. */
    private static final Duration LOOKED_WITHIN = Duration.ofSeconds(2);

    GivenDevice {
        ids = List.copyOf(ids);
    }

    /** The same with these shares. */
    GivenDevice with(List<String> shares) {
        return new GivenDevice(result, resource, device, shares);
    }

    /** The device as it is now; empty if it is gone. */
    Optional<Device> now() {
        return resource.supply().current().devices().stream()
                .filter(one -> one.id().equals(device))
                .findFirst();
    }

    /** The settings that the claim has chosen, of those that the class leaves to claims. */
    ClaimChoice choice() throws IOException {
        return DeviceParameters.read(result, resource.deviceClass());
    }

    /**
     * Refuses parameters with mistakes, and one MAC address for several VFs. A choice applies to all VFs of a request.
     */
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

    /**
     * Groups devices by request. A container gets a request as a whole, so that a variable names all of its devices.
     */
    static Map<String, List<GivenDevice>> byRequest(List<GivenDevice> all) {
        return all.stream()
                .collect(Collectors.groupingBy(
                        one -> one.result().request() + " " + one.resource().name() + " "
                                + one.result().isForAdministrator(),
                        LinkedHashMap::new,
                        Collectors.toList()));
    }

    /** Waits until these devices are scrubbed after their earlier pods, for the longest timeout of their classes. */
    static void awaitScrubs(Collection<List<GivenDevice>> requests)
            throws DeviceUnavailableException, PrepareException, TimeoutException, InterruptedException {
        Deadline deadline = Deadline.in(requests.stream()
                .map(request ->
                        request.getFirst().resource().deviceClass().recipe().timeout())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO));
        for (List<GivenDevice> request : requests) {
            if (!request.getFirst().result().isForAdministrator()) {
                request.getFirst().resource().awaitScrub(ids(request), deadline);
            }
        }
    }

    /** Hands a request over, and returns everything that a container gets for it. */
    static Allocation allocate(List<GivenDevice> request) throws DeviceUnavailableException, InterruptedException {
        Resource resource = request.getFirst().resource();
        Set<String> ids = ids(request);
        if (request.getFirst().result().isForAdministrator()) {
            return allocation(resource.handingNothingOver(), ids);
        }
        try {
            return allocation(resource, ids);
        } catch (DeviceUnavailableException e) {
            // The stock may not have followed the last change yet, and the kubelet asks again only after a minute.
            resource.supply().look(LOOKED_WITHIN);
            return allocation(resource, ids);
        }
    }

    private static Allocation allocation(Resource resource, Set<String> ids) throws DeviceUnavailableException {
        return resource.allocate(List.of(ids), HandOver.DEVICE_NODES).getFirst();
    }

    static Set<String> ids(List<GivenDevice> all) {
        return all.stream().flatMap(one -> one.ids().stream()).collect(Collectors.toSet());
    }
}
