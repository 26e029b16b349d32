package io.edgeplug.node.pods;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A claim of Dynamic Resource Allocation whose devices this node has prepared or has begun to prepare.
 *
 * @param uid the claim's
 * @param pods that may use it, as far as they were known when it was prepared
 * @param boot the boot of the node in which it was prepared; empty until it is complete
 * @param specification the settings for the container runtime; empty until it is complete
 * @param metadata by request, what containers are told of its devices; empty until it is complete
 * @param allocation names the allocation that it was prepared for; empty if an earlier build has noted it
 * @param isAhead whether it is prepared before its pod is bound, and the kubelet has not asked for it yet, so that no
 *     container can have its devices
 * @param isUndone whether a device was pulled after it was ready ahead, so that what was done to it is lost
 */
public record PreparedClaim(
        String uid,
        String namespace,
        String name,
        List<Pod> pods,
        List<Device> devices,
        Optional<String> boot,
        Optional<String> specification,
        Map<String, String> metadata,
        Optional<String> allocation,
        boolean isAhead,
        boolean isUndone) {

    public PreparedClaim {
        pods = List.copyOf(pods);
        devices = List.copyOf(devices);
        metadata = Map.copyOf(metadata);
    }

    /** A claim for which the kubelet has asked, and which is not ready yet and has no noted allocation. */
    public PreparedClaim(String uid, String namespace, String name, List<Pod> pods, List<Device> devices) {
        this(
                uid,
                namespace,
                name,
                pods,
                devices,
                Optional.empty(),
                Optional.empty(),
                Map.of(),
                Optional.empty(),
                false,
                false);
    }

    /**
     * The same for this allocation.
     *
     * @param isForScheduler whether only the scheduler waits for it
     */
    public PreparedClaim of(String newest, boolean isForScheduler) {
        return with(pods, newest, isForScheduler, isUndone);
    }

    /** The same once the kubelet has asked for it, for these pods. */
    public PreparedClaim askedFor(List<Pod> now) {
        return with(now, allocation.orElse(null), false, isUndone);
    }

    /** The same once a device was pulled. */
    public PreparedClaim undone() {
        return with(pods, allocation.orElse(null), isAhead, true);
    }

    private PreparedClaim with(List<Pod> now, @Nullable String newest, boolean isWaiting, boolean isLost) {
        return new PreparedClaim(
                uid,
                namespace,
                name,
                now,
                devices,
                boot,
                specification,
                metadata,
                Optional.ofNullable(newest),
                isWaiting,
                isLost);
    }

    /** The same once it is ready. */
    public PreparedClaim ready(String currentBoot, String forRuntime, Map<String, String> forContainers) {
        return new PreparedClaim(
                uid,
                namespace,
                name,
                pods,
                devices,
                Optional.of(currentBoot),
                Optional.of(forRuntime),
                forContainers,
                allocation,
                isAhead,
                false);
    }

    /**
     * A pod in the namespace of the claim.
     *
     * @param name empty if it is not known
     */
    public record Pod(String uid, String name) {}

    /**
     * A device of a claim, or a share of it.
     *
     * @param request the request of the claim that it is for
     * @param name of the device in its pool, for the cluster
     * @param share by which the cluster tells the claims of one device apart; empty if it gives a device to one claim
     * @param id of the device on this node, or of its share
     * @param isForAdministrator whether the claim only looks at a device that others may hold
     * @param cdi the name by which the container runtime finds the settings; empty if another device's name covers them
     */
    public record Device(
            String request,
            String pool,
            String name,
            Optional<String> share,
            String id,
            String resource,
            boolean isForAdministrator,
            Optional<String> cdi) {

        /** Whether both are the same device of the same request for the cluster, which knows no IDs of shares. */
        public boolean isToldAs(Device other) {
            return request.equals(other.request)
                    && pool.equals(other.pool)
                    && name.equals(other.name)
                    && share.equals(other.share);
        }
    }

    @Override
    public String toString() {
        return "claim " + namespace + "/" + name;
    }

    /** Whether it was completely prepared since the node was booted. */
    public boolean isReady(String currentBoot) {
        return boot.equals(Optional.of(currentBoot));
    }
}
