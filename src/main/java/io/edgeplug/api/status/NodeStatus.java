package io.edgeplug.api.status;

import io.edgeplug.node.supply.Failures;
import io.edgeplug.node.supply.HolderNotes;
import io.edgeplug.node.supply.StepTime;
import io.edgeplug.system.flow.Front;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The state of the daemon at one time.
 *
 * @param resources in the order of their classes
 * @param uevents how many uevents were received since the daemon's start
 * @param steps the durations of preparation steps since then
 * @param bugs of edgeplug itself, which have ended work since then
 * @param notes whether it is known who has which device
 * @param failures what was asked for pods and has failed, and has not gone well since
 * @param failed how much has failed since the daemon's start
 * @param claiming the state of devices that pods claim; empty if none can be claimed
 */
public record NodeStatus(
        KubeletStatus kubelet,
        List<ResourceStatus> resources,
        long uevents,
        List<StepTime> steps,
        List<Front.Bugs> bugs,
        HolderNotes.State notes,
        List<Failures.Failure> failures,
        Map<Failures.Kind, Long> failed,
        Optional<ClaimingStatus> claiming) {

    public NodeStatus {
        resources = List.copyOf(resources);
        steps = List.copyOf(steps);
        bugs = List.copyOf(bugs);
        failures = List.copyOf(failures);
        failed = Map.copyOf(failed);
    }
}
