package io.edgeplug.status;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Since when which devices have not been offered, as far back as this was told of them; for one thread. */
final class ProblemTimes {

    private Map<String, Instant> since = Map.of();

    /** Takes note of what is not offered now. */
    void note(NodeStatus status, Instant now) {
        Map<String, Instant> noted = new HashMap<>();
        for (ResourceStatus resource : status.resources()) {
            for (DeviceStatus device : resource.devices()) {
                if (!device.device().health().isHealthy()) {
                    String key = key(resource.name().toString(), device.device().id());
                    noted.put(key, Optional.ofNullable(since.get(key)).orElse(now));
                }
            }
        }
        since = Map.copyOf(noted);
    }

    /** Empty if the device was offered for that resource when this was told last. */
    Optional<Instant> since(String resource, String id) {
        return Optional.ofNullable(since.get(key(resource, id)));
    }

    private static String key(String resource, String id) {
        return id + " " + resource;
    }
}
