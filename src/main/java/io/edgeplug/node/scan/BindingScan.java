package io.edgeplug.node.scan;

import io.edgeplug.model.device.DriverBinding;
import io.edgeplug.model.device.DriverDevices;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.Vfio;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the devices that a driver has made of a PCI function or of a part of one. */
final class BindingScan {

    private static final String CLASS_NET = "sys/class/net/";
    private static final Map<String, String> ARPHRD = Map.of("1", "ether", "32", "infiniband");

    private static final Pattern VFIO_DEVICE = Pattern.compile("vfio\\d{1,9}");

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
    static Reading<DriverBinding> read(NodeWide node, PciAttributes own, @Nullable String driver) {
        return new BindingScan(node, own).read(driver);
    }

    private Reading<DriverBinding> read(@Nullable String driver) {
        DriverDevices made = problems.in(Reading.of(
                () -> node.driverDevices().below(own.directory(), driver, own.listedNames()), DriverDevices.NONE));
        List<String> owners = problems.in(own.owners(driver, made.vdpas()));
        NetworkPorts interfaces = problems.in(own.interfaces(owners));
        List<String> netNames = problems.in(Reading.of(interfaces::uplinks, List.of()));
        List<RdmaDevice> rdmaDevices = rdmaDevices(owners, netNames);
        return problems.with(new DriverBinding(
                Optional.ofNullable(driver),
                netNames,
                problems.in(node.altNames(netNames)),
                linkTypes(netNames, rdmaDevices),
                rdmaDevices,
                made,
                problems.in(node.nodeUse(netNames)),
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

    private Optional<Vfio> vfio(@Nullable String driver) {
        return driver != null && Vfio.isDriver(driver)
                ? problems.in(Reading.of(() -> Optional.of(vfio()), Optional.<Vfio>empty()))
                : Optional.empty();
    }

    private Vfio vfio() throws IOException {
        OptionalInt group = problems.in(own.linkNumber("iommu_group"));
        Optional<String> device = vfioDevice(own.directory() + "vfio-dev/");
        if (group.isEmpty()) {
            return new Vfio(group, false, device);
        }
        boolean isWithoutIommu = sysfs.read("sys/kernel/iommu_groups/" + group.getAsInt() + "/name")
                .equals(Optional.of("vfio-noiommu"));
        String node = (isWithoutIommu ? "noiommu-" : "") + group.getAsInt();
        boolean hasGroupNode = device.isEmpty() || sysfs.names("sys/class/vfio").contains(node);
        return new Vfio(hasGroupNode ? group : OptionalInt.empty(), isWithoutIommu, device);
    }

    /** Kernels from 6.1 always have the name. There is a node only if the kernel is built with it. */
    private Optional<String> vfioDevice(String directory) throws IOException {
        for (String name : sysfs.names(directory)) {
            if (VFIO_DEVICE.matcher(name).matches()
                    && sysfs.read(directory + name + "/dev").isPresent()) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }
}
