package io.edgeplug.device;

import io.edgeplug.linux.PlainText;
import java.util.Optional;

/**
 * Whether a container could use a device now.
 *
 * @param problem what is wrong, for a person, without the device's name: {@code read numa_node: Input/output error}
 * @param isGone whether the device is no longer on the node, and is listed only because a pod may hold it
 * @param isWithheld whether the device is fine but kept from others, because of the pod that has it or had it; a group
 *     mate of a held device is unhealthy and not withheld
 */
public record Health(Optional<String> problem, boolean isGone, boolean isWithheld) {

    private static final int MAX_PROBLEM = 160;

    /** No problem is known. */
    public static final Health HEALTHY = new Health(Optional.empty(), false, false);

    /** The device is gone, and a pod that holds it should be told. */
    public static final Health GONE = new Health(Optional.of("is gone, and a container may hold it"), true, false);

    /**
     * Unhealthy for this reason. The reason may quote a driver, so it is cut short and cleaned of control characters.
     */
    public static Health unhealthy(String problem) {
        return new Health(Optional.of(start(problem)), false, false);
    }

    /** Healthy, but not to be given to another pod now, for this reason. */
    public static Health withheld(String reason) {
        return new Health(Optional.of(start(reason)), false, true);
    }

    private static String start(String problem) {
        String start = problem.length() > MAX_PROBLEM ? problem.substring(0, MAX_PROBLEM) + "..." : problem;
        return PlainText.of(start);
    }

    /** Whether the device can be handed over now; false if it is withheld. */
    public boolean isHealthy() {
        return problem.isEmpty();
    }
}
