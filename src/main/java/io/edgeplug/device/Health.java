package io.edgeplug.device;

import io.edgeplug.linux.PlainText;
import java.util.Optional;

/**
 * Whether a container could use a device now.
 *
 * @param problem what is wrong, for a person, without the device's name: {@code read numa_node: Input/output error}
 * @param isGone whether it is not on the node any more, and is listed only because a pod may hold it
 * @param isWithheld whether nothing is wrong with it, and it is only kept from others because of the pod that has it or had
 *     it; a group mate of a held device is unhealthy and not withheld
 */
public record Health(Optional<String> problem, boolean isGone, boolean isWithheld) {

    private static final int MAX_PROBLEM = 160;

    /** Nothing is known against it. */
    public static final Health HEALTHY = new Health(Optional.empty(), false, false);

    /** Not there, and a pod that holds it is told so. */
    public static final Health GONE = new Health(Optional.of("is gone, and a container may hold it"), true, false);

    /** Not fit, for this reason, which may quote what a driver says: its start, without what a terminal would obey. */
    public static Health unhealthy(String problem) {
        return new Health(Optional.of(start(problem)), false, false);
    }

    /** Fit, and not to be given to another pod now, for this reason. */
    public static Health withheld(String reason) {
        return new Health(Optional.of(start(reason)), false, true);
    }

    private static String start(String problem) {
        String start = problem.length() > MAX_PROBLEM ? problem.substring(0, MAX_PROBLEM) + "..." : problem;
        return PlainText.of(start);
    }

    /** Whether it can be handed over now, so not if it is withheld. */
    public boolean isHealthy() {
        return problem.isEmpty();
    }
}
