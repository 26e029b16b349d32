package io.edgeplug.api.status;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.flow.Outcomes;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The state of the kubelet and of the registrations.
 *
 * @param absence what is in the place of the kubelet; empty if it is there, or its directory if it finds sockets by itself
 * @param registered the resources whose devices it has
 * @param registrations of each resource since it is served: how many succeeded, and how many failed
 */
public record KubeletStatus(
        Optional<String> absence, Set<ResourceName> registered, Map<ResourceName, Outcomes.Counts> registrations) {

    public KubeletStatus {
        registered = Set.copyOf(registered);
        registrations = Map.copyOf(registrations);
    }

    /** Whether there is a kubelet, or its directory if it finds sockets by itself. */
    public boolean isThere() {
        return absence.isEmpty();
    }
}
