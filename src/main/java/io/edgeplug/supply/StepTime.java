package io.edgeplug.supply;

import io.edgeplug.device.ResourceName;
import java.util.List;

/**
 * How long one step of the preparations of a resource's devices took, of all that succeeded.
 *
 * @param step as the configuration names it, {@code reset}
 * @param bounds in seconds, ascending
 * @param counts of times up to each bound and above the one before; the last one of times above all bounds
 * @param sum of all times, in seconds
 */
public record StepTime(ResourceName resource, String step, List<Double> bounds, List<Long> counts, double sum) {

    public StepTime {
        bounds = List.copyOf(bounds);
        counts = List.copyOf(counts);
    }
}
