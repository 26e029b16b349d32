package io.edgeplug.status;

import io.edgeplug.supply.StepTime;
import java.util.List;

/**
 * The state of the daemon at one time.
 *
 * @param resources in the order of their classes
 * @param uevents how many uevents were received since the daemon's start
 * @param steps the durations of preparation steps since then
 */
public record NodeStatus(KubeletStatus kubelet, List<ResourceStatus> resources, long uevents, List<StepTime> steps) {

    public NodeStatus {
        resources = List.copyOf(resources);
        steps = List.copyOf(steps);
    }
}
