package io.edgeplug.device;

import java.util.Optional;

/**
 * Whether a container could use a device now.
 *
 * @param problem what is wrong, for a person, without the device's name: {@code read numa_node: Input/output error}
 */
public record Health(Optional<String> problem) {

    /** Nothing is known against it. */
    public static final Health HEALTHY = new Health(Optional.empty());

    /** Not fit, for this reason. */
    public static Health unhealthy(String problem) {
        return new Health(Optional.of(problem));
    }

    /** Whether a container could use it. */
    public boolean isHealthy() {
        return problem.isEmpty();
    }
}
