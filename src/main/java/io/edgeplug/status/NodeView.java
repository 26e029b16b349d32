package io.edgeplug.status;

import io.edgeplug.device.Device;
import io.edgeplug.device.ResourceName;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.pods.KubeletPods;
import io.edgeplug.pods.PodNames;
import io.edgeplug.supply.Preparations;
import io.edgeplug.supply.Stock;
import io.edgeplug.supply.Supplies;
import io.edgeplug.supply.Supply;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** Makes a {@link NodeStatus} from the daemon's present state in memory, and from the kubelet's notes. */
public final class NodeView {

    private final Supplies supplies;
    private final Preparations preparations;
    private final KubeletPods pods;
    private final Supplier<KubeletStatus> kubelet;
    private final Supplier<Optional<ClaimingStatus>> claiming;

    /** Of the parts of a daemon whose devices are not claimed. */
    public NodeView(Supplies supplies, Preparations preparations, KubeletPods pods, Supplier<KubeletStatus> kubelet) {
        this(supplies, preparations, pods, kubelet, Optional::empty);
    }

    /**
     * A view of these parts of the daemon.
     *
     * @param pods the pods with devices, and their names
     */
    public NodeView(
            Supplies supplies,
            Preparations preparations,
            KubeletPods pods,
            Supplier<KubeletStatus> kubelet,
            Supplier<Optional<ClaimingStatus>> claiming) {
        this.supplies = supplies;
        this.preparations = preparations;
        this.pods = pods;
        this.kubelet = kubelet;
        this.claiming = claiming;
    }

    /** The present status. Reads the kubelet's notes; if they cannot be read, it has no holders. */
    public NodeStatus read() {
        return read(held());
    }

    /** The same without holders, which reads no file. */
    NodeStatus readWithoutHolders() {
        return read(Optional.empty());
    }

    private NodeStatus read(Optional<HeldDevices> held) {
        KubeletStatus now = kubelet.get();
        Set<String> preparing = preparations.inPreparation();
        List<ResourceStatus> resources = new ArrayList<>();
        for (Supply supply : supplies.each()) {
            ResourceName name = supply.deviceClass().resource();
            Stock stock = supply.current();
            List<DeviceStatus> devices = stock.devices().stream()
                    .map(device -> new DeviceStatus(
                            device,
                            held.map(notes -> holders(notes, name, device)).orElse(List.of()),
                            preparing.contains(device.id())))
                    .toList();
            resources.add(new ResourceStatus(
                    name,
                    now.registered().contains(name),
                    stock.shares(),
                    devices,
                    supply.allocations().counts()));
        }
        return new NodeStatus(
                now, resources, supplies.monitor().uevents(), preparations.stepTimes(), claiming.get());
    }

    private Optional<HeldDevices> held() {
        try {
            return Optional.of(pods.held());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private List<Holder> holders(HeldDevices notes, ResourceName resource, Device device) {
        return notes.all(resource, device).stream().map(this::holder).distinct().toList();
    }

    private Holder holder(Holding holding) {
        Optional<PodNames.Holder> name = pods.name(holding);
        return new Holder(
                holding.pod(),
                name.map(PodNames.Holder::namespace),
                name.map(PodNames.Holder::pod),
                holding.container());
    }
}
