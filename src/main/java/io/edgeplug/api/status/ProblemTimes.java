package io.edgeplug.api.status;

import io.edgeplug.api.status.NodeStatus.DeviceStatus;
import io.edgeplug.api.status.NodeStatus.ResourceStatus;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Since when there is no kubelet, and since when each device has not been offered, as far as {@link #note} was called; for one thread. */
final class ProblemTimes {

    private Map<String, Instant> since = Map.of();
    private @Nullable Instant withoutKubelet;

    /** Notes the devices that are not offered now. */
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
        withoutKubelet = status.kubelet().isThere() ? null : withoutKubelet == null ? now : withoutKubelet;
    }

    /** Empty if the last status offered the device for that resource. */
    Optional<Instant> since(String resource, String id) {
        return Optional.ofNullable(since.get(key(resource, id)));
    }

    /** Empty if the last status had a kubelet. */
    Optional<Instant> withoutKubelet() {
        return Optional.ofNullable(withoutKubelet);
    }

    private static String key(String resource, String id) {
        return id + " " + resource;
    }
}
