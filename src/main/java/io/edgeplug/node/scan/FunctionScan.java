package io.edgeplug.node.scan;

import io.edgeplug.model.device.DriverBinding;
import io.edgeplug.model.device.DriverDevices;
import io.edgeplug.model.device.Hca;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.Nic;
import io.edgeplug.model.device.OtherPci;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.PciIdentity;
import io.edgeplug.model.device.PciTopology;
import io.edgeplug.model.device.RdmaDevice;
import io.edgeplug.model.device.SubFunction;
import io.edgeplug.model.device.VirtualFunction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Makes the devices of one PCI function. Of other functions, it reads only the PF.
 *
 * <p>The scan has two steps, because the kernel blocks a reader of the configuration space while the function is being
 * reset. The first step reads the attributes, which always works.
 */
public final class FunctionScan {

    private final NodeWide node;
    private final PciAddress address;
    private @Nullable PciAttributes own;

    FunctionScan(NodeWide node, PciAddress address) {
        this.node = node;
        this.address = address;
    }

    /**
     * The devices of the function by its attributes; none if there is no function.
     *
     * @param known the result of an earlier scan, for values that cannot be read now
     */
    public List<PciDevice> devices(List<PciDevice> known) {
        FirstProblem problems = new FirstProblem();
        PciAttributes attributes = problems.in(PciAttributes.listed(node, address));
        if (attributes.isAbsent()) {
            return List.of();
        }
        Optional<PciAttributes> physical = problems.in(attributes.link("physfn"))
                .flatMap(PciAddress::parse)
                .map(pf -> PciAttributes.of(node, pf));
        List<PciDevice> found = problems.in(
                physical.isPresent() ? virtualFunction(attributes, physical.orElseThrow()) : whole(attributes));
        Optional<Health> unreadable = problems.text().map(Health::unhealthy);
        List<PciDevice> kept = unreadable.isPresent() && !known.isEmpty() ? known : found;
        if (!isPresent()) {
            return List.of();
        }
        own = unreadable.isPresent() ? null : attributes;
        return unreadable.map(health -> with(health, kept)).orElse(kept);
    }

    /** The same devices, but unhealthy if the function could be read and does not answer on PCI. */
    public List<PciDevice> answering(List<PciDevice> devices) {
        return Optional.ofNullable(own)
                .flatMap(PciAttributes::silence)
                .map(problem -> with(Health.unhealthy(problem), devices))
                .orElse(devices);
    }

    private static List<PciDevice> with(Health health, List<PciDevice> devices) {
        return devices.stream().map(device -> device.withHealth(health)).toList();
    }

    /** Stands for a function that could never be read. */
    public static PciDevice unread(PciAddress address) {
        return new OtherPci(PciFunction.unknown(address), Health.HEALTHY);
    }

    /** A VF with ports of an FPGA is an FPGA, as a whole function is. */
    private Reading<List<PciDevice>> virtualFunction(PciAttributes own, PciAttributes physical) {
        FirstProblem problems = new FirstProblem();
        PciFunction function = problems.in(function(own));
        List<PciDevice> fpgas = problems.in(own.fpgas(function));
        if (!fpgas.isEmpty()) {
            return problems.with(fpgas);
        }
        FirstProblem ofPhysical = new FirstProblem();
        int index = vfIndex(physical, ofPhysical);
        NetworkPorts ports = ofPhysical.in(physical.interfaces(List.of("")));
        if (ports.isEmpty()) {
            String driver = ofPhysical.in(physical.link("driver")).orElse(null);
            List<String> owners = ofPhysical.in(physical.owners(driver, List.of()));
            ports = ofPhysical.in(physical.interfaces(owners));
        }
        List<String> uplinks = ofPhysical.in(Reading.of(ports::uplinks, List.of()));
        VirtualFunction vf = new VirtualFunction(
                function,
                physical.address(),
                index,
                uplinks,
                ofPhysical.in(node.altNames(uplinks)),
                ofPhysical.in(representorOfVf(ports, index)),
                rdmaHealth(function));
        ofPhysical.text().ifPresent(problem -> problems.add("its PF: " + problem));
        return problems.with(List.of(vf));
    }

    private static Reading<Optional<String>> representorOfVf(NetworkPorts ports, int index) {
        return Reading.of(() -> ports.ofVirtualFunction(index), Optional.empty());
    }

    /**
     * A function that is no VF has one kind. It is an FPGA or regions of one, else an HCA if it has RDMA devices, else
     * a network adapter by its class, else of no known family. Its sub-functions are devices beside it.
     */
    private Reading<List<PciDevice>> whole(PciAttributes own) {
        FirstProblem problems = new FirstProblem();
        PciFunction function = problems.in(function(own));
        List<PciDevice> fpgas = problems.in(own.fpgas(function));
        if (!fpgas.isEmpty()) {
            return problems.with(fpgas);
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
                devices.add(problems.in(subFunction(function, own, auxiliary)));
            }
        }
        return problems.with(devices);
    }

    /** A problem of the sub-function makes only it unhealthy. The problem of the reading is one of its PF. */
    private Reading<SubFunction> subFunction(PciFunction function, PciAttributes physical, String id) {
        FirstProblem problems = new FirstProblem();
        PciAttributes own = problems.in(physical.part(id));
        String driver = problems.in(own.link("driver")).orElse(null);
        PciFunction part = function.part(problems.in(BindingScan.read(node, own, driver)));
        int number = problems.in(own.number("sfnum")).orElse(0);
        FirstProblem ofPhysical = new FirstProblem();
        NetworkPorts ports = ofPhysical.in(physical.interfaces(List.of("")));
        Optional<String> representor =
                ofPhysical.in(Reading.of(() -> ports.ofSubFunction(number), Optional.<String>empty()));
        Health health = problems.text().map(Health::unhealthy).orElse(rdmaHealth(part));
        return ofPhysical.with(
                new SubFunction(part, id, number, function.netNames(), function.altNames(), representor, health));
    }

    private Reading<PciFunction> function(PciAttributes own) {
        FirstProblem problems = new FirstProblem();
        String driver = problems.in(own.link("driver")).orElse(null);
        DriverBinding binding = problems.in(BindingScan.read(node, own, driver));
        PciIdentity identity = new PciIdentity(
                problems.in(own.number("vendor")).orElse(0),
                problems.in(own.number("device")).orElse(0),
                problems.in(own.description("subsystem_vendor")).orElse(0),
                problems.in(own.description("subsystem_device")).orElse(0),
                problems.in(own.number("class")).orElse(0));
        int virtualFunctions = problems.in(own.number("sriov_numvfs")).orElse(0);
        PciTopology topology = problems.in(topology(own));
        OptionalInt totalVirtualFunctions = problems.in(own.description("sriov_totalvfs"));
        return problems.with(
                new PciFunction(own.address(), identity, topology, binding, virtualFunctions, totalVirtualFunctions));
    }

    private Reading<PciTopology> topology(PciAttributes own) {
        FirstProblem problems = new FirstProblem();
        List<PciAddress> above = problems.in(own.ancestors());
        NumaNode numaNode = problems.in(NumaNode.of(node, own, above));
        return problems.with(new PciTopology(
                numaNode.number(),
                numaNode.isGuess(),
                problems.in(own.linkNumber("iommu_group")),
                problems.in(own.acpiIndex()),
                above.stream().findFirst(),
                problems.in(own.link("physfn")).flatMap(PciAddress::parse)));
    }

    private static Health rdmaHealth(PciFunction function) {
        return function.rdmaDevices().stream()
                .map(RdmaDevice::health)
                .filter(health -> !health.isHealthy())
                .findFirst()
                .orElse(Health.HEALTHY);
    }

    /**
     * The number of a VF follows from its routing ID (PCI Express base specification, First VF Offset and VF Stride).
     * So a look at one VF of 256 does not read 256 links.
     */
    private int vfIndex(PciAttributes physical, FirstProblem problems) {
        OptionalInt offset = problems.in(physical.number("sriov_offset"));
        OptionalInt stride = problems.in(physical.number("sriov_stride"));
        if (offset.isPresent() && stride.isPresent() && stride.getAsInt() > 0) {
            int index = (address.routingId() - physical.address().routingId() - offset.getAsInt()) / stride.getAsInt();
            if (index < 0) {
                problems.add("its sriov_offset and sriov_stride do not lead to its VF " + address);
            }
            return Math.max(index, 0);
        }
        int index = 0;
        Optional<String> vf = problems.in(physical.link("virtfn" + index));
        while (!vf.equals(Optional.of(address.toString()))) {
            if (vf.isEmpty()) {
                problems.add("has no link to its VF " + address);
                return index;
            }
            index++;
            vf = problems.in(physical.link("virtfn" + index));
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
