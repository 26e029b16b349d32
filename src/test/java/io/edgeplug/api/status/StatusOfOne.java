package io.edgeplug.api.status;

import io.edgeplug.api.status.NodeStatus.KubeletStatus;
import io.edgeplug.api.status.NodeStatus.ResourceStatus;
import io.edgeplug.node.supply.HolderNotes;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The status of a node that has nothing but one resource. */
public final class StatusOfOne {

    private StatusOfOne() {}

    public static NodeStatus resource(ResourceStatus resource) {
        return new NodeStatus(
                new KubeletStatus(Optional.empty(), Set.of(), Map.of()),
                List.of(resource),
                1,
                List.of(),
                List.of(),
                new HolderNotes.State(0, Instant.EPOCH, List.of()),
                List.of(),
                Map.of(),
                Optional.empty());
    }
}
