package io.edgeplug.device;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Makes the devices of one PCI function, reading nothing of any other but its PF.
 *
 * <p>In two steps, since the kernel keeps whoever reads the configuration space of a function that is being reset: what
 * its attributes tell is known by then.
 */
public final class FunctionScan {

    private final NodeWide node;
    private final PciAddress address;
    private Optional<PciAttributes> own = Optional.empty();

    FunctionScan(NodeWide node, PciAddress address) {
        this.node = node;
        this.address = address;
    }

    /**
     * The devices of the function, as its attributes tell: none if it is not there.
     *
     * @param known what was read of it before, which stands where it cannot be read now
     */
    public List<PciDevice> devices(List<PciDevice> known) {
        PciAttributes attributes = PciAttributes.listed(node, address);
        if (attributes.isAbsent()) {
            return List.of();
        }
        Optional<PciAttributes> physical =
                attributes.link("physfn").flatMap(PciAddress::parse).map(pf -> PciAttributes.of(node, pf));
        List<PciDevice> found =
                physical.isPresent() ? List.of(virtualFunction(attributes, physical.orElseThrow())) : whole(attributes);
        Optional<Health> unreadable = attributes
                .problem()
                .or(() -> physical.flatMap(PciAttributes::problem).map(problem -> "its PF: " + problem))
                .map(Health::unhealthy);
        List<PciDevice> kept = unreadable.isPresent() && !known.isEmpty() ? known : found;
        if (!isPresent()) {
            return List.of();
        }
        own = unreadable.isPresent() ? Optional.empty() : Optional.of(attributes);
        return with(unreadable, kept);
    }

    /** These devices, unhealthy if the function could be read and does not answer on PCI. */
    public List<PciDevice> answering(List<PciDevice> devices) {
        return with(own.flatMap(PciAttributes::silence).map(Health::unhealthy), devices);
    }

    private static List<PciDevice> with(Optional<Health> unfit, List<PciDevice> devices) {
        return unfit.isEmpty()
                ? devices
                : devices.stream()
                        .map(device -> device.withHealth(unfit.orElseThrow()))
                        .toList();
    }

    /** What stands for a function of which nothing could ever be read. */
    public static PciDevice unread(PciAddress address) {
        return new OtherPci(PciFunction.unknown(address), Health.HEALTHY);
    }

    private VirtualFunction virtualFunction(PciAttributes own, PciAttributes physical) {
        PciFunction function = function(own, own.link("driver"));
        int index = vfIndex(physical);
        NetworkPorts ports = physical.interfaces(List.of(""));
        if (ports.isEmpty()) {
            ports = physical.interfaces(physical.owners(physical.link("driver"), List.of()));
        }
        return new VirtualFunction(
                function,
                physical.address(),
                index,
                physical.uplinks(ports),
                physical.representorOfVf(ports, index),
                rdmaHealth(function));
    }

    /**
     * A function that is no VF is of one kind: an FPGA or regions of one, else an HCA if it has RDMA devices, else a
     * network adapter if its class says so, else of no known family. Beside it are its sub-functions.
     */
    private List<PciDevice> whole(PciAttributes own) {
        Optional<String> driver = own.link("driver");
        PciFunction function = function(own, driver);
        List<PciDevice> fpgas = own.fpgas(function);
        if (!fpgas.isEmpty()) {
            return fpgas;
        }
        List<PciDevice> devices = new ArrayList<>();
        if (!function.rdmaDevices().isEmpty()) {
            devices.add(new Hca(function, rdmaHealth(function)));
        } else if (function.isNetwork()) {
            devices.add(new Nic(function, Health.HEALTHY));
        } else {
            devices.add(new OtherPci(function, Health.HEALTHY));
        }
        for (String auxiliary : function.driverDevices().auxiliaries()) {
            if (DriverDevices.type(auxiliary).equals("sf")) {
                devices.add(subFunction(function, own, auxiliary));
            }
        }
        return devices;
    }

    private SubFunction subFunction(PciFunction function, PciAttributes physical, String id) {
        PciAttributes own = physical.part(id);
        Optional<String> driver = own.link("driver");
        Parts parts = parts(own, driver);
        PciFunction part = function.part(
                driver,
                parts.netNames(),
                own.linkTypes(parts.netNames(), parts.rdmaDevices()),
                parts.rdmaDevices(),
                parts.driverDevices(),
                own.carriesDefaultRoute(parts.netNames()));
        int number = own.number("sfnum").orElse(0);
        NetworkPorts ports = physical.interfaces(List.of(""));
        Health health = own.problem().map(Health::unhealthy).orElse(rdmaHealth(part));
        Optional<String> representor = physical.representorOfSf(ports, number);
        return new SubFunction(part, id, number, function.netNames(), representor, health);
    }

    private static PciFunction function(PciAttributes own, Optional<String> driver) {
        Parts parts = parts(own, driver);
        NumaNode numaNode = own.numaNode();
        return new PciFunction(
                own.address(),
                own.number("vendor").orElse(0),
                own.number("device").orElse(0),
                own.description("subsystem_vendor").orElse(0),
                own.description("subsystem_device").orElse(0),
                own.number("class").orElse(0),
                driver,
                numaNode.number(),
                numaNode.isGuess(),
                own.linkNumber("iommu_group"),
                own.acpiIndex(),
                own.rootPort(),
                parts.netNames(),
                own.linkTypes(parts.netNames(), parts.rdmaDevices()),
                parts.rdmaDevices(),
                parts.driverDevices(),
                own.carriesDefaultRoute(parts.netNames()),
                own.number("sriov_numvfs").orElse(0),
                own.vfio(driver));
    }

    /** What drivers have made of a function or of a part of one. */
    private record Parts(DriverDevices driverDevices, List<String> netNames, List<RdmaDevice> rdmaDevices) {}

    private static Parts parts(PciAttributes own, Optional<String> driver) {
        DriverDevices made = own.driverDevices(driver);
        List<String> owners = own.owners(driver, made.vdpas());
        List<String> netNames = own.uplinks(own.interfaces(owners));
        return new Parts(made, netNames, own.rdmaDevices(owners, netNames));
    }

    private static Health rdmaHealth(PciFunction function) {
        return function.rdmaDevices().stream()
                .map(RdmaDevice::health)
                .filter(health -> !health.isHealthy())
                .findFirst()
                .orElse(Health.HEALTHY);
    }

    /**
     * A VF's number follows from its routing ID (PCI Express base specification, First VF Offset and VF Stride), so
     * that reading one VF of 256 does not read 256 links.
     */
    private int vfIndex(PciAttributes physical) {
        OptionalInt offset = physical.number("sriov_offset");
        OptionalInt stride = physical.number("sriov_stride");
        if (offset.isPresent() && stride.isPresent() && stride.getAsInt() > 0) {
            int index = (address.routingId() - physical.address().routingId() - offset.getAsInt()) / stride.getAsInt();
            if (index < 0) {
                physical.fail("its sriov_offset and sriov_stride do not lead to its VF " + address);
            }
            return Math.max(index, 0);
        }
        int index = 0;
        while (!physical.link("virtfn" + index).equals(Optional.of(address.toString()))) {
            if (physical.link("virtfn" + index).isEmpty()) {
                physical.fail("has no link to its VF " + address);
                return index;
            }
            index++;
        }
        return index;
    }

    private boolean isPresent() {
        try {
            return node.sysfs()
                    .read(PciAttributes.FUNCTIONS + "/" + address + "/vendor")
                    .isPresent();
        } catch (IOException e) {
            return true;
        }
    }
}
