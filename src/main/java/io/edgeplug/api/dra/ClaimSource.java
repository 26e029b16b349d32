package io.edgeplug.api.dra;

import io.edgeplug.model.device.Device;
import io.edgeplug.node.supply.Resource;
import io.edgeplug.node.supply.Stock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sources for preparing a claim: the scheduler's decision, and the devices of this node.
 *
 * @param resources the resources whose devices are claimed
 */
record ClaimSource(ApiServer api, String driver, List<Resource> resources) {

    ClaimSource {
        resources = List.copyOf(resources);
    }

    /** The devices that the scheduler has given to a claim. */
    ClaimAllocation allocation(Claims.Name claim, Duration patience) throws IOException, InterruptedException {
        return api.ask(
                ApiRequest.claim(claim.namespace(), claim.name()),
                ClaimAllocation.reading(claim.uid(), driver, api.nodeName()),
                patience);
    }

    /**
     * The device that a result names. It may name a share as a device of its own, also if the cluster now knows the
     * device as a capacity of shares, or the other way round.
     */
    GivenDevice find(ClaimAllocation.Result result) throws IOException {
        for (Resource resource : resources) {
            for (Device device : resource.supply().current().devices()) {
                if (DeviceNames.of(resource.deviceClass(), device).equals(result.device())) {
                    return given(result, resource, device, null);
                }
            }
        }
        for (Resource resource : resources) {
            if (resource.deviceClass().sharing().isShared()) {
                Stock stock = resource.supply().current();
                for (Device device : stock.devices()) {
                    for (String id : resource.shares().ids(device.id(), stock.shares())) {
                        if (DeviceNames.of(resource.deviceClass(), id).equals(result.device())) {
                            return given(result, resource, device, id);
                        }
                    }
                }
            }
        }
        throw new IOException("there is no device " + result.device() + " on this node now");
    }

    private static GivenDevice given(
            ClaimAllocation.Result result, Resource resource, Device device, @Nullable String share) {
        String only = resource.deviceClass().sharing().isShared() ? share : device.id();
        return new GivenDevice(result, resource, device.id(), only == null ? List.of() : List.of(only));
    }

    /** The kind of CDI devices: {@code edgeplug.io/claim}. */
    String cdiKind() {
        return driver + "/claim";
    }
}
