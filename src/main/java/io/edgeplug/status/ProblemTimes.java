package io.edgeplug.status;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Since when which devices have been unhealthy, as far back as this was told of them; for one thread. */
final class ProblemTimes {

    private Map<String, Instant> since = Map.of();

    /** Takes note of what is unhealthy now. */
    void note(NodeStatus status, Instant now) {
        Map<String, Instant> noted = new HashMap<>();
        for (ResourceStatus resource : status.resources()) {
            for (DeviceStatus device : resource.devices()) {
                if (device.state() == DeviceState.UNHEALTHY) {
                    noted.put(
                            device.device().id(),
                            Optional.ofNullable(since.get(device.device().id())).orElse(now));
                }
            }
        }
        since = Map.copyOf(noted);
    }

    /** Empty if it was healthy when this was told last. */
    Optional<Instant> since(String id) {
        return Optional.ofNullable(since.get(id));
    }
}
