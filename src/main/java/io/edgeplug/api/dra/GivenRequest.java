package io.edgeplug.api.dra;

import io.edgeplug.api.dra.ClaimAllocation.Result;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.DeviceUnavailableException;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.rules.HandOver;
import io.edgeplug.node.container.Allocation;
import io.edgeplug.node.supply.Resource;
import io.edgeplug.system.flow.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The devices that a request of a claim has of one resource. A container gets them together, so that a variable names all. */
record GivenRequest(List<GivenDevice> devices) {

    /** A look at all devices of a class takes some milliseconds, unless files are on a server that does not answer. */
    private static final Duration LOOKED_WITHIN = Duration.ofSeconds(2);

    GivenRequest {
        devices = List.copyOf(devices);
    }

    /** The requests for these devices, in their order. */
    static List<GivenRequest> of(List<GivenDevice> all) {
        return all.stream()
                .collect(Collectors.groupingBy(
                        one -> one.result().request() + " " + one.resource().name() + " "
                                + one.result().isForAdministrator(),
                        LinkedHashMap::new,
                        Collectors.toList()))
                .values()
                .stream()
                .map(GivenRequest::new)
                .toList();
    }

    /** The first of its results, by which the container runtime knows the request. */
    Result first() {
        return devices.getFirst().result();
    }

    private Resource resource() {
        return devices.getFirst().resource();
    }

    /** Waits until these devices are scrubbed after their earlier pods, for the longest timeout of their classes. */
    static void awaitScrubs(List<GivenRequest> requests)
            throws DeviceUnavailableException, PrepareException, TimeoutException, InterruptedException {
        Deadline deadline = Deadline.in(requests.stream()
                .map(request -> request.resource().deviceClass().recipe().timeout())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO));
        for (GivenRequest request : requests) {
            if (!request.first().isForAdministrator()) {
                request.resource().awaitScrub(GivenDevice.ids(request.devices), deadline);
            }
        }
    }

    /** Hands the devices over, and returns everything that a container gets for them. */
    Allocation allocate() throws DeviceUnavailableException, InterruptedException {
        if (first().isForAdministrator()) {
            return allocation(resource().handingNothingOver());
        }
        try {
            return allocation(resource());
        } catch (DeviceUnavailableException e) {
            // The stock may not have followed the last change yet, and the kubelet asks again only after a minute.
            resource().supply().look(LOOKED_WITHIN);
            return allocation(resource());
        }
    }

    private Allocation allocation(Resource resource) throws DeviceUnavailableException {
        return resource.allocate(List.of(GivenDevice.ids(devices)), HandOver.DEVICE_NODES)
                .getFirst();
    }

    /** Runs the recipe, unless the claim only looks at the devices. */
    void makeReady(Function<Device, Optional<String>> lost)
            throws IOException, DeviceUnavailableException, PrepareException, TimeoutException, InterruptedException {
        if (!first().isForAdministrator()) {
            resource().makeReady(GivenDevice.ids(devices), devices.getFirst().choice(), lost);
        }
    }
}
