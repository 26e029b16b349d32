package io.edgeplug.api.dra;

import io.edgeplug.api.dra.ClaimAllocation.Result;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.ClaimChoice;
import io.edgeplug.node.pods.PreparedClaim;
import io.edgeplug.node.supply.Resource;
import io.edgeplug.system.kernel.LinkAddress;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A device that the scheduler has given to a claim, and its resource.
 *
 * @param device the ID of the whole device on this node
 * @param ids the same if it is not shared, and else the IDs of shares; none as long as no shares are chosen
 */
record GivenDevice(Result result, Resource resource, String device, List<String> ids) {

    GivenDevice {
        ids = List.copyOf(ids);
    }

    GivenDevice with(List<String> shares) {
        return new GivenDevice(result, resource, device, shares);
    }

    /** The device as it is now; empty if it is gone. */
    Optional<Device> now() {
        return resource.supply().current().devices().stream()
                .filter(one -> one.id().equals(device))
                .findFirst();
    }

    /** Whether somebody else has the device or a share of it. */
    boolean isHeldByOthers(String claim) {
        return resource.isHeldByOthers(device, claim);
    }

    /** The settings that the claim has chosen, of those that the class leaves to claims. */
    ClaimChoice choice() throws IOException {
        return DeviceParameters.read(result, resource.deviceClass());
    }

    /** Refuses mistakes, and one address for several devices. A choice applies to all devices of a request. */
    static void checkChoices(List<GivenDevice> all) throws IOException {
        Set<String> addresses = new HashSet<>();
        for (GivenDevice one : all) {
            ClaimChoice choice = one.choice();
            Optional<String> mac = choice.vf().mac();
            if (mac.isPresent()) {
                refuseSecond(addresses, mac.orElseThrow(), "vf.mac");
            }
            for (LinkAddress address : choice.addresses()) {
                refuseSecond(addresses, address.address().getHostAddress(), "interface.addresses");
            }
        }
    }

    private static void refuseSecond(Set<String> addresses, String address, String parameter) throws IOException {
        if (!addresses.add(address)) {
            throw new IOException(
                    "it chooses " + address + " twice; give each device a request of its own with its own " + parameter
                            + ", or leave " + parameter + " out");
        }
    }

    /**
     * What is noted of the device, or of each of its shares.
     *
     * @param cdi the name by which the container runtime finds the settings; null if another device's name covers them
     */
    Stream<PreparedClaim.Device> noted(@Nullable String cdi) {
        return ids.stream()
                .map(id -> new PreparedClaim.Device(
                        result.request(),
                        result.pool(),
                        result.device(),
                        result.share(),
                        id,
                        resource.name().toString(),
                        result.isForAdministrator(),
                        Optional.ofNullable(cdi)));
    }

    static Map<String, String> resources(List<GivenDevice> all) {
        Map<String, String> resources = new LinkedHashMap<>();
        all.forEach(one -> resources.put(one.device(), one.resource().name().toString()));
        return resources;
    }

    static Set<String> ids(List<GivenDevice> all) {
        return all.stream().flatMap(one -> one.ids().stream()).collect(Collectors.toSet());
    }
}
