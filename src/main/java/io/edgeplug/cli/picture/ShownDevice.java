package io.edgeplug.cli.picture;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.ResourceName;
import java.util.List;
import java.util.Optional;

/**
 * A device in a picture.
 *
 * @param resource that it backs, if a class takes it
 * @param holders the pods that have it, as {@code namespace/name} or by UID; one unless it is shared
 */
public record ShownDevice(Device device, Optional<ResourceName> resource, List<String> holders) {

    public ShownDevice {
        holders = List.copyOf(holders);
    }

    /** Its problem or its holders, for a person; empty if it is healthy and free. */
    String state() {
        String problem =
                device.health().problem().map(text -> "unhealthy: " + text).orElse("");
        String held = holders.isEmpty() ? "" : "held by " + String.join(", ", holders);
        return problem + (problem.isEmpty() || held.isEmpty() ? "" : ", ") + held;
    }
}
