package io.edgeplug.node.scan;

import io.edgeplug.model.device.DriverBinding;
import io.edgeplug.model.device.DriverDevices;
import io.edgeplug.model.device.NodeUse;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.Vfio;
import io.edgeplug.system.files.Sysfs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;

/** Reads the devices that a driver has made of a PCI function or of a part of one. */
final class BindingScan {

    private static final String CLASS_NET = "sys/class/net/";
    private static final Map<String, String> ARPHRD = Map.of("1", "ether", "32", "infiniband");

    private final NodeWide node;
    private final Sysfs sysfs;
    private final PciAttributes own;
    private final FirstProblem problems = new FirstProblem();

    private BindingScan(NodeWide node, PciAttributes own) {
        this.node = node;
        this.sysfs = node.sysfs();
        this.own = own;
    }

    /** The binding to that driver of a function or part with these attributes. */
    static Reading<DriverBinding> read(NodeWide node, PciAttributes own, Optional<String> driver) {
        return new BindingScan(node, own).read(driver);
    }

    private Reading<DriverBinding> read(Optional<String> driver) {
        DriverDevices made = problems.in(Reading.of(
                () -> node.driverDevices().below(own.directory(), driver, own.listedNames()), DriverDevices.NONE));
        List<String> owners = problems.in(own.owners(driver, made.vdpas()));
        NetworkPorts interfaces = problems.in(own.interfaces(owners));
        List<String> netNames = problems.in(Reading.of(interfaces::uplinks, List.of()));
        List<RdmaDevice> rdmaDevices = rdmaDevices(owners, netNames);
        return problems.with(new DriverBinding(
                driver,
                netNames,
                altNames(netNames),
                linkTypes(netNames, rdmaDevices),
                rdmaDevices,
                made,
                nodeUse(netNames),
                vfio(driver)));
    }

    /** The RDMA devices of these owners, and those in software on the interfaces. */
    private List<RdmaDevice> rdmaDevices(List<String> owners, List<String> netNames) {
        List<RdmaDevice> devices = new ArrayList<>();
        for (String owner : owners) {
            if (own.mayHave(owner + "infiniband")) {
                devices.addAll(problems.in(
                        Reading.of(() -> node.rdma().below(own.directory() + owner), List.<RdmaDevice>of())));
            }
        }
        if (!netNames.isEmpty()) {
            devices.addAll(problems.in(Reading.of(() -> node.rdma().on(netNames), List.<RdmaDevice>of())));
        }
        return devices;
    }

    /**
     * The link types of the interfaces (ARPHRD_* in linux/if_arp.h) and of the RDMA ports: {@code ether} or
     * {@code infiniband}.
     */
    private List<String> linkTypes(List<String> netNames, List<RdmaDevice> rdmaDevices) {
        TreeSet<String> types = new TreeSet<>();
        for (String netName : netNames) {
            problems.in(Reading.of(() -> sysfs.read(CLASS_NET + netName + "/type"), Optional.<String>empty()))
                    .flatMap(type -> Optional.ofNullable(ARPHRD.get(type)))
                    .ifPresent(types::add);
        }
        rdmaDevices.forEach(rdma -> rdma.ports().forEach(port -> port.linkType().ifPresent(types::add)));
        return List.copyOf(types);
    }

    private List<String> altNames(List<String> netNames) {
        return problems.in(node.altNames(netNames));
    }

    private NodeUse nodeUse(List<String> netNames) {
        return problems.in(node.nodeUse(netNames));
    }

    private Optional<Vfio> vfio(Optional<String> driver) {
        if (driver.filter(Vfio::isDriver).isEmpty()) {
            return Optional.empty();
        }
        OptionalInt group = problems.in(own.linkNumber("iommu_group"));
        return problems.in(Reading.of(
                () -> Optional.of(new VfioScan(sysfs).read(own.directory(), group)), Optional.<Vfio>empty()));
    }
}
