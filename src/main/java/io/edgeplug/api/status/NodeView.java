package io.edgeplug.api.status;

import io.edgeplug.api.status.NodeStatus.ClaimingStatus;
import io.edgeplug.api.status.NodeStatus.DeviceStatus;
import io.edgeplug.api.status.NodeStatus.KubeletStatus;
import io.edgeplug.api.status.NodeStatus.ResourceStatus;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.custody.Hold;
import io.edgeplug.model.custody.Work;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.node.supply.Failures;
import io.edgeplug.node.supply.HolderNotes;
import io.edgeplug.node.supply.Preparations;
import io.edgeplug.node.supply.Stock;
import io.edgeplug.node.supply.Supplies;
import io.edgeplug.node.supply.Supply;
import io.edgeplug.system.flow.Front;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Makes a {@link NodeStatus} from the daemon's present state in memory. */
public record NodeView(
        Supplies supplies,
        Preparations preparations,
        Supplier<KubeletStatus> kubelet,
        Supplier<Optional<ClaimingStatus>> claiming) {

    /** How many devices a status would have now. */
    public int devices() {
        return supplies.each().stream()
                .mapToInt(supply -> supply.current().devices().size())
                .sum();
    }

    /** How many ports of RDMA devices a status would have now. */
    public int ports() {
        return supplies.each().stream()
                .flatMap(supply -> supply.current().devices().stream())
                .flatMap(device -> device.rdmaDevices().stream())
                .mapToInt(rdma -> rdma.ports().size())
                .sum();
    }

    /** The present status. */
    public NodeStatus read() {
        KubeletStatus now = kubelet.get();
        // Read first, as devices that are read later have the holders of this reading or of a newer one.
        HolderNotes.State notes = preparations.holderNotes().state();
        List<ResourceStatus> resources = new ArrayList<>();
        for (Supply supply : supplies.each()) {
            ResourceName name = supply.deviceClass().resource();
            Stock stock = supply.current();
            List<DeviceStatus> devices = stock.devices().stream()
                    .map(device -> status(name, device, notes.areRead()))
                    .toList();
            resources.add(new ResourceStatus(
                    name,
                    now.registered().contains(name),
                    stock.shares(),
                    devices,
                    supply.allocations().counts()));
        }
        return new NodeStatus(
                now,
                resources,
                supplies.monitor().uevents(),
                preparations.stepTimes(),
                Front.bugs(),
                notes,
                failures(),
                preparations.failures().counts(),
                claiming.get());
    }

    /** Those of devices and classes that the node still has; nobody can try again what has failed with another. */
    private List<Failures.Failure> failures() {
        return preparations.failures().open().stream()
                .filter(one -> one.kind().isOfClaim() || isHere(one))
                .toList();
    }

    private boolean isHere(Failures.Failure failure) {
        return supplies.each().stream()
                .filter(supply -> supply.deviceClass().resource().toString().equals(failure.resource()))
                .flatMap(supply -> supply.current().devices().stream())
                .anyMatch(device -> failure.subjects().contains(device.id()));
    }

    /** One device of a resource, by one look at its record. An Allocate counts once the kubelet has noted its pod. */
    private DeviceStatus status(ResourceName resource, Device device, boolean areHoldersKnown) {
        Custody custody = supplies.custodian().of(device.id());
        List<Hold> held = custody.heldAs(resource.toString());
        return new DeviceStatus(
                device,
                held.stream()
                        .flatMap(hold -> hold.user().inPod().stream())
                        .distinct()
                        .toList(),
                held.size(),
                custody.isUnder(Work.Kind.PREPARE),
                areHoldersKnown,
                device.health().isWithheld() && custody.traces().isPresent() && !custody.isSoonScrubbed());
    }
}
