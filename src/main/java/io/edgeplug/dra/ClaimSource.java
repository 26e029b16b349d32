package io.edgeplug.dra;

import io.edgeplug.device.Device;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.pods.KubeletPods;
import io.edgeplug.supply.Resource;
import io.edgeplug.supply.Stock;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The sources for preparing a claim: the scheduler's decision, and the devices of this node.
 *
 * @param resources the resources whose devices are claimed
 */
record ClaimSource(
        ApiServer api, String driver, Optional<String> nodeName, List<Resource> resources, KubeletPods pods) {

    ClaimSource {
        resources = List.copyOf(resources);
    }

    /** The devices that the scheduler has given to a claim. */
    ClaimAllocation allocation(Claims.Name claim, Duration patience) throws IOException, InterruptedException {
        return ClaimAllocation.of(
                api.ask(ApiRequest.claim(claim.namespace(), claim.name()), patience), claim.uid(), driver, node());
    }

    /**
     * The device that a result names. It may name a share as a device of its own, also if the cluster now knows the
     * device as a capacity of shares, or the other way round.
     */
    GivenDevice find(ClaimAllocation.Result result) throws IOException {
        for (Resource resource : resources) {
            for (Device device : resource.supply().current().devices()) {
                if (DeviceNames.of(resource.deviceClass(), device).equals(result.device())) {
                    return given(result, resource, device, Optional.empty());
                }
            }
        }
        for (Resource resource : resources) {
            if (resource.deviceClass().sharing().isShared()) {
                Stock stock = resource.supply().current();
                for (Device device : stock.devices()) {
                    for (String id : resource.shares().ids(device.id(), stock.shares())) {
                        if (DeviceNames.of(resource.deviceClass(), id).equals(result.device())) {
                            return given(result, resource, device, Optional.of(id));
                        }
                    }
                }
            }
        }
        throw new IOException("there is no device " + result.device() + " on this node now");
    }

    private GivenDevice given(ClaimAllocation.Result result, Resource resource, Device device, Optional<String> share)
            throws IOException {
        if (!result.isForAdministrator()) {
            refuseIfHeld(device);
        }
        Optional<String> only = resource.deviceClass().sharing().isShared() ? share : Optional.of(device.id());
        return new GivenDevice(result, resource, device.id(), only.stream().toList());
    }

    private String node() throws IOException {
        if (nodeName.isPresent()) {
            return nodeName.orElseThrow();
        }
        return api.nodeName()
                .orElseThrow(() -> new IOException("the identity is no node's, so [dra] node_name is needed"));
    }

    /** The kind of CDI devices: {@code edgeplug.io/claim}. */
    String cdiKind() {
        return driver + "/claim";
    }

    /** The device plugin may have offered the class before, and a pod from that time may still run. */
    private void refuseIfHeld(Device device) throws IOException {
        Optional<Holding> holder;
        try {
            holder = pods.heldByPlugin().of(device);
        } catch (IOException e) {
            throw new IOException("nothing tells whether its devices are held: " + e.getMessage(), e);
        }
        if (holder.isPresent()) {
            throw new IOException("its device %s is held by container %s of pod %s, which got it from the device plugin"
                    .formatted(
                            device.id(),
                            holder.orElseThrow().container(),
                            holder.orElseThrow().pod()));
        }
    }
}
