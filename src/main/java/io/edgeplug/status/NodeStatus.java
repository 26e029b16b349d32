package io.edgeplug.status;

import io.edgeplug.supply.StepTime;
import java.util.List;
import java.util.Optional;

/**
 * The state of the daemon at one time.
 *
 * @param resources in the order of their classes
 * @param uevents how many uevents were received since the daemon's start
 * @param steps the durations of preparation steps since then
 * @param claiming the state of devices that pods claim; empty if none can be claimed
 */
public record NodeStatus(
        KubeletStatus kubelet,
        List<ResourceStatus> resources,
        long uevents,
        List<StepTime> steps,
        Optional<ClaimingStatus> claiming) {

    public NodeStatus {
        resources = List.copyOf(resources);
        steps = List.copyOf(steps);
    }
}
