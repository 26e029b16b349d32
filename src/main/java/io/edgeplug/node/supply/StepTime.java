package io.edgeplug.node.supply;

import io.edgeplug.model.device.ResourceName;
import java.util.List;

/**
 * The durations of one step in all successful preparations of a resource's devices.
 *
 * @param step the key in the configuration, such as {@code reset}
 * @param bounds in seconds, ascending
 * @param counts of durations between each bound and the one before; the last counts those above all bounds
 * @param sum of all durations, in seconds
 */
public record StepTime(ResourceName resource, String step, List<Double> bounds, List<Long> counts, double sum) {

    public StepTime {
        bounds = List.copyOf(bounds);
        counts = List.copyOf(counts);
    }
}
