package io.edgeplug.status;

import io.edgeplug.device.ResourceName;
import io.edgeplug.flow.Outcomes;
import java.util.Map;
import java.util.Set;

/**
 * How things stand with the kubelet.
 *
 * @param isThere whether there is one; where it finds sockets by itself, whether there is its directory
 * @param registered the resources that it has the devices of
 * @param registrations of each resource since it is served: how many came about, and how many failed
 */
public record KubeletStatus(
        boolean isThere, Set<ResourceName> registered, Map<ResourceName, Outcomes.Counts> registrations) {

    public KubeletStatus {
        registered = Set.copyOf(registered);
        registrations = Map.copyOf(registrations);
    }
}
