package io.edgeplug.node.prepare;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What happens to the network interface of a device before a container with it starts. */
enum InterfaceStart {
    /** It is on the node, so it gets its settings, and the container runtime moves it. */
    MOVE(""),
    /** It is where the container finds it, because an earlier container of the pod has brought it there. */
    STAY(""),
    /** It is still in an earlier sandbox of the pod, and returns to the node once the kernel has removed that. */
    AWAIT("its network interface is still in an earlier sandbox of this pod; \"lsns -t net\" shows which process keeps"
            + " that"),
    /** Its earlier pod has it. Restoring it after that pod comes first. */
    HAD_BY_OTHER("its network interface is still in the network namespace of the pod that had it before;"
            + " \"lsns -t net\" shows which process keeps that"),
    /** Nobody knows whose it is. */
    TAKEN_BY_OTHERS(
            "its network interface is in another network namespace, and edgeplug has not given it to a pod; move it"
                    + " back to the node, and let no CNI move it"),
    /** The driver has made none. */
    MISSING("its driver has made no network interface; see the kernel's log");

    /** Where an interface is. */
    enum Place {
        NODE,
        /** In another network namespace. */
        AWAY,
        NOWHERE
    }

    private final String refusal;

    InterfaceStart(String refusal) {
        this.refusal = refusal;
    }

    /**
     * The decision.
     *
     * @param last to whom it was given last; null if nobody has had it since it was restored
     */
    static InterfaceStart of(Place place, @Nullable Guest last, Guest now) {
        return switch (place) {
            case NODE -> MOVE;
            case NOWHERE -> MISSING;
            case AWAY -> {
                if (last == null) {
                    yield TAKEN_BY_OTHERS;
                }
                if (!last.isSame(now)) {
                    yield HAD_BY_OTHER;
                }
                yield last.mayBeInSandboxOf(now) ? STAY : AWAIT;
            }
        };
    }

    /** Why the container must not start; empty if it may. */
    Optional<String> refusal() {
        return refusal.isEmpty() ? Optional.empty() : Optional.of(refusal);
    }
}
