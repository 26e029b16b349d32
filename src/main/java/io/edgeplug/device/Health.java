package io.edgeplug.device;

import io.edgeplug.linux.PlainText;
import java.util.Optional;

/**
 * Whether a container could use a device now.
 *
 * @param problem what is wrong, for a person, without the device's name: {@code read numa_node: Input/output error}
 */
public record Health(Optional<String> problem) {

    private static final int MAX_PROBLEM = 160;

    /** Nothing is known against it. */
    public static final Health HEALTHY = new Health(Optional.empty());

    /** Not fit, for this reason, which may quote what a driver says: its start, without what a terminal would obey. */
    public static Health unhealthy(String problem) {
        String start = problem.length() > MAX_PROBLEM ? problem.substring(0, MAX_PROBLEM) + "..." : problem;
        return new Health(Optional.of(PlainText.of(start)));
    }

    /** Whether a container could use it. */
    public boolean isHealthy() {
        return problem.isEmpty();
    }
}
