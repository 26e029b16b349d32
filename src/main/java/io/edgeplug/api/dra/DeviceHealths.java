package io.edgeplug.api.dra;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.proto.drahealth.v1.DeviceHealth;
import io.edgeplug.proto.drahealth.v1.DeviceIdentifier;
import io.edgeplug.proto.drahealth.v1.HealthStatus;
import io.edgeplug.proto.drahealth.v1.NodeWatchResourcesResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * The health of all devices at one time, so that two times can be compared.
 *
 * @param pool the pool of all devices
 */
record DeviceHealths(String pool, List<OfDevice> devices) {

    /** The kubelet considers a report outdated after this time. */
    static final Duration TIMEOUT = Duration.ofSeconds(30);

    DeviceHealths {
        devices = List.copyOf(devices);
    }

    /**
     * The health of one device.
     *
     * @param name its name in the cluster
     * @param message the text for the pod that has it; empty if nothing is wrong
     */
    record OfDevice(String name, String message) {

        /** The health of a device with this name in the cluster. */
        static OfDevice of(String name, Device device) {
            return new OfDevice(name, problem(device));
        }
    }

    /** A device that is only withheld from others is healthy for the pod that has it. */
    private static String problem(Device device) {
        Health health = device.health();
        return health.isWithheld()
                ? ""
                : health.problem().map(problem -> device.id() + ": " + problem).orElse("");
    }

    /** The message for the kubelet, with the current time. */
    NodeWatchResourcesResponse message() {
        long now = Instant.now().getEpochSecond();
        NodeWatchResourcesResponse.Builder all = NodeWatchResourcesResponse.newBuilder();
        for (OfDevice one : devices) {
            all.addDevices(DeviceHealth.newBuilder()
                    .setDevice(DeviceIdentifier.newBuilder().setPoolName(pool).setDeviceName(one.name()))
                    .setHealth(one.message().isEmpty() ? HealthStatus.HEALTHY : HealthStatus.UNHEALTHY)
                    .setLastUpdatedTime(now)
                    .setHealthCheckTimeoutSeconds(TIMEOUT.toSeconds())
                    .setMessage(one.message()));
        }
        return all.build();
    }
}
