package io.edgeplug.api.status;

import io.edgeplug.model.custody.User;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.supply.Failures;
import io.edgeplug.node.supply.HolderNotes;
import io.edgeplug.node.supply.StepTimes.StepTime;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Outcomes;
import io.edgeplug.system.flow.Worded;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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

    /**
     * The state of the kubelet and of the registrations.
     *
     * @param absence what is in the place of the kubelet; empty if it is there, or its directory if it finds sockets by itself
     * @param registered the resources whose devices it has
     * @param registrations of each resource since it is served: how many succeeded, and how many failed
     */
    public record KubeletStatus(
            Optional<String> absence, Set<ResourceName> registered, Map<ResourceName, Outcomes.Counts> registrations) {

        public KubeletStatus {
            registered = Set.copyOf(registered);
            registrations = Map.copyOf(registrations);
        }

        /** Whether there is a kubelet, or its directory if it finds sockets by itself. */
        public boolean isThere() {
            return absence.isEmpty();
        }
    }

    /**
     * One resource.
     *
     * @param isRegistered whether the kubelet has its devices
     * @param shares of each device in the kubelet's list
     * @param devices with the health for the kubelet
     * @param allocations how many were answered with devices, and how many were refused
     */
    public record ResourceStatus(
            ResourceName name,
            boolean isRegistered,
            int shares,
            List<DeviceStatus> devices,
            Outcomes.Counts allocations) {

        public ResourceStatus {
            devices = List.copyOf(devices);
        }

        public int count(DeviceState state) {
            return Math.toIntExact(
                    devices.stream().filter(device -> device.state() == state).count());
        }
    }

    /**
     * One device of a resource.
     *
     * @param device with the health for the kubelet
     * @param holders the containers that have it, or shares of it, by the kubelet's notes
     * @param heldShares how many of its shares they have; 1 if it is held and not shared
     * @param areHoldersKnown whether these are all containers that have it
     * @param isStuck whether it is withheld, and does not come back by itself soon
     */
    public record DeviceStatus(
            Device device,
            List<User.Pod> holders,
            int heldShares,
            boolean isInPreparation,
            boolean areHoldersKnown,
            boolean isStuck) {

        public DeviceStatus {
            holders = List.copyOf(holders);
        }

        /** The one state in which it is counted. A problem comes before a preparation, and that before a holder. */
        public DeviceState state() {
            if (!device.health().isHealthy()) {
                return device.health().isWithheld() ? DeviceState.WITHHELD : DeviceState.UNHEALTHY;
            }
            if (isInPreparation) {
                return DeviceState.PREPARING;
            }
            return !holders.isEmpty() ? DeviceState.HELD : areHoldersKnown ? DeviceState.FREE : DeviceState.UNKNOWN;
        }
    }

    /** The state in which a device is counted; each device has exactly one. */
    public enum DeviceState implements Worded {
        /** A container could have it. */
        FREE,
        /** A container may have it, because the notes of holders cannot be read. */
        UNKNOWN,
        /** A container has it. */
        HELD,
        /** It is being prepared for a container. */
        PREPARING,
        /** The device is fine, but a pod has it as a device of another resource, or it is not scrubbed yet. */
        WITHHELD,
        /** No container can get it; one may have it. */
        UNHEALTHY
    }

    /**
     * How things stand with devices that pods claim.
     *
     * @param driver the name of the driver that offers them
     * @param pool of this node's slices; empty until it is known
     * @param generation the pool's
     * @param slices how many the API server has
     * @param devices how many are in them
     * @param problem why the API server does not have them as they should be; empty if it has
     * @param claims how many have devices
     * @param preparations of claims: how many came about, and how many failed
     * @param fallback why devices are prepared only when the kubelet asks, although a class wants that earlier; empty if
     *     there is no reason
     */
    public record ClaimingStatus(
            String driver,
            String pool,
            long generation,
            int slices,
            int devices,
            Optional<String> problem,
            int claims,
            Outcomes.Counts preparations,
            Optional<String> fallback) {}
}
