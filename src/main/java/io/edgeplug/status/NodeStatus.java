package io.edgeplug.status;

import io.edgeplug.supply.StepTime;
import java.util.List;
import java.util.Optional;

/**
 * What the daemon has and does at one time.
 *
 * @param resources in the order of their classes
 * @param uevents how many uevents were heard since the daemon began
 * @param steps how long the steps of preparations took since then
 * @param claiming how things stand with devices that pods claim; empty if none can be claimed
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
