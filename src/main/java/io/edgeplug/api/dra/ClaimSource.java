package io.edgeplug.api.dra;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Shares;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.supply.Resource;
import io.edgeplug.node.supply.Stock;
import io.edgeplug.system.flow.Deadline;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The sources for preparing a claim: the scheduler's decision, and the devices of this node.
 *
 * @param resources the resources whose devices are claimed
 */
record ClaimSource(ApiServer api, String driver, List<Resource> resources) {

    /** A device settles within two seconds after a change. */
    private static final Duration FIT_WITHIN = Duration.ofSeconds(3);

    ClaimSource {
        resources = List.copyOf(resources);
    }

    /** The devices that the scheduler has given to a claim. */
    ClaimAllocation allocation(Claims.Name claim) throws IOException, InterruptedException {
        return api.ask(
                ApiRequest.claim(claim.namespace(), claim.name()),
                ClaimAllocation.reading(claim.uid(), driver, api.nodeName()));
    }

    /** A claim as the API server has it now, which may be another one with the same name. */
    AllocatedClaim known(Claims.Name claim) throws IOException, InterruptedException {
        return api.ask(
                ApiRequest.claim(claim.namespace(), claim.name()), AllocatedClaim.reading(driver, api.nodeName()));
    }

    /** Writes the driver's part of the status of a claim, and returns the claim as it is then. */
    AllocatedClaim write(AllocatedClaim claim, DeviceConditions wanted) throws IOException, InterruptedException {
        String body = wanted.status(claim, driver).toString();
        return api.ask(
                ApiRequest.applyStatus(claim.name().namespace(), claim.name().name(), driver, body),
                AllocatedClaim.reading(driver, api.nodeName()));
    }

    /**
     * The device that a result names. It may name a share as a device of its own, also if the cluster now knows the
     * device as a capacity of shares, or the other way round.
     */
    GivenDevice find(ClaimAllocation.Result result) throws IOException {
        for (Resource resource : resources) {
            for (Device device : resource.supply().current().devices()) {
                if (DeviceNames.of(resource.deviceClass(), device.id()).equals(result.device())) {
                    boolean isShared = resource.deviceClass().sharing().isShared();
                    return new GivenDevice(result, resource, device.id(), isShared ? List.of() : List.of(device.id()));
                }
            }
        }
        for (Resource resource : resources) {
            if (resource.deviceClass().sharing().isShared()) {
                Stock stock = resource.supply().current();
                for (Device device : stock.devices()) {
                    for (String id : resource.shares().ids(device.id(), stock.shares())) {
                        if (DeviceNames.of(resource.deviceClass(), id).equals(result.device())) {
                            return new GivenDevice(result, resource, device.id(), List.of(id));
                        }
                    }
                }
            }
        }
        throw new IOException("there is no device " + result.device() + " on this node now");
    }

    /** Whether another claim has a device of these. It may just have lost it, and is being released. */
    boolean isHeldByOthers(String uid, ClaimAllocation allocation) throws IOException {
        for (ClaimAllocation.Result result : allocation.results()) {
            if (find(result).isHeldByOthers(uid)) {
                return true;
            }
        }
        return false;
    }

    /** The IDs of a claim's devices on this node. */
    Set<String> ids(AllocatedClaim claim) {
        Set<String> names =
                claim.devices().stream().map(one -> one.key().device()).collect(Collectors.toSet());
        return resources.stream()
                .flatMap(resource -> resource.supply().current().devices().stream()
                        .filter(device -> names.contains(DeviceNames.of(resource.deviceClass(), device.id())))
                        .map(Device::id))
                .collect(Collectors.toSet());
    }

    /**
     * Whether nothing is wrong with the devices of a claim but who has them. Waits a moment for those that were just
     * prepared, and are looked at once more.
     */
    boolean areFit(PreparedClaim claim) throws InterruptedException {
        Deadline deadline = Deadline.in(FIT_WITHIN);
        for (Resource resource : resources) {
            Stock stock = resource.supply().current();
            Set<String> ids = ids(claim, resource);
            while (!areFit(ids, stock) && !deadline.isOver()) {
                stock = resource.supply().stock().awaitNewerThan(stock.number(), deadline.wakeUp());
            }
            if (!areFit(ids, stock)) {
                return false;
            }
        }
        return true;
    }

    private static boolean areFit(Set<String> ids, Stock stock) {
        return stock.devices().stream()
                .filter(device -> device.health().isHealthy() || device.health().isOfUsers())
                .map(Device::id)
                .collect(Collectors.toSet())
                .containsAll(ids);
    }

    /** Whether a device of a claim is not plugged in. It stays listed as long as the claim has it. */
    boolean hasLost(PreparedClaim claim) {
        return resources.stream()
                .anyMatch(resource -> resource.supply().current().devices().stream()
                        .filter(device -> device.health().isGone())
                        .map(Device::id)
                        .anyMatch(ids(claim, resource)::contains));
    }

    private static Set<String> ids(PreparedClaim claim, Resource resource) {
        return claim.devices().stream()
                .filter(one -> one.resource().equals(resource.name().toString()))
                .map(one -> Shares.whole(one.id()))
                .collect(Collectors.toSet());
    }

    /** The kind of CDI devices: {@code edgeplug.io/claim}. */
    String cdiKind() {
        return driver + "/claim";
    }
}
