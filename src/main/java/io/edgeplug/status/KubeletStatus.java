package io.edgeplug.status;

import io.edgeplug.device.ResourceName;
import io.edgeplug.flow.Outcomes;
import java.util.Map;
import java.util.Set;

/**
 * The state of the kubelet and of the registrations.
 *
 * @param isThere whether there is a kubelet, or its directory if it finds sockets by itself
 * @param registered the resources whose devices it has
 * @param registrations of each resource since it is served: how many succeeded, and how many failed
 */
public record KubeletStatus(
        boolean isThere, Set<ResourceName> registered, Map<ResourceName, Outcomes.Counts> registrations) {

    public KubeletStatus {
        registered = Set.copyOf(registered);
        registrations = Map.copyOf(registrations);
    }
}
