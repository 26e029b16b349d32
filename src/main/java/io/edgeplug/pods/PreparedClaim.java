package io.edgeplug.pods;

import java.util.List;
import java.util.Optional;

/**
 * A claim of Dynamic Resource Allocation whose devices this node has prepared, or has begun to.
 *
 * @param uid the claim's
 * @param pods that may use it, as far as is known since it was prepared
 * @param boot the boot of the node in which it was prepared; empty until all is done
 * @param specification what the container runtime was told of it; empty until all is done
 */
public record PreparedClaim(
        String uid,
        String namespace,
        String name,
        List<Pod> pods,
        List<Device> devices,
        Optional<String> boot,
        Optional<String> specification) {

    public PreparedClaim {
        pods = List.copyOf(pods);
        devices = List.copyOf(devices);
    }

    /**
     * A pod in the namespace of the claim.
     *
     * @param name empty if it is not known
     */
    public record Pod(String uid, String name) {}

    /**
     * A device of a claim.
     *
     * @param request what of the claim it is for
     * @param name by which the cluster knows it, in its pool
     * @param id by which this node knows it
     * @param isForAdministrator whether the claim only looks at a device that others may hold
     * @param cdi the name by which the container runtime finds what is to be done; empty if another device's has it
     */
    public record Device(
            String request,
            String pool,
            String name,
            String id,
            String resource,
            boolean isForAdministrator,
            Optional<String> cdi) {}

    @Override
    public String toString() {
        return "claim " + namespace + "/" + name;
    }

    /** Whether all was done, since the node was booted. */
    public boolean isReady(String currentBoot) {
        return boot.equals(Optional.of(currentBoot));
    }
}
