package io.edgeplug.device;

import io.edgeplug.linux.PathGlob;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Makes devices of what the kernel shows now.
 *
 * <p>The scan of one function is the unit and the scan of a node is that scan over all its functions, so what is found
 * after a uevent cannot differ from what a restart would find. A function that goes while it is read is absent; one
 * that cannot be read is unhealthy and says why.
 *
 * <p>One is for one look at the node: what is the same for all functions it reads once. One thread at a time.
 */
public final class DeviceScan {

    private static final Pattern RANGE = Pattern.compile("(\\d{1,4})(?:-(\\d{1,4}))?");

    private final Sysfs sysfs;
    private final NodeWide node;

    public DeviceScan(Sysfs sysfs) {
        this.sysfs = sysfs;
        this.node = new NodeWide(sysfs);
    }

    /**
     * The addresses of all PCI functions, in order.
     *
     * @throws IOException if the node has PCI and does not tell
     */
    public List<PciAddress> functions() throws IOException {
        return sysfs.names(PciAttributes.FUNCTIONS).stream()
                .flatMap(name -> PciAddress.parse(name).stream())
                .sorted()
                .toList();
    }

    /** The devices at that address: none if there is no function, several if it is of several FPGA regions. */
    public List<PciDevice> function(PciAddress address) {
        return function(address, List.of());
    }

    /**
     * The devices at that address.
     *
     * @param known what was read of it before, which stands where it cannot be read now
     */
    public List<PciDevice> function(PciAddress address, List<PciDevice> known) {
        PciAttributes own = new PciAttributes(node, address);
        if (own.text("vendor").isEmpty() && own.problem().isEmpty()) {
            return List.of();
        }
        PciFunction function = read(address, own);
        Optional<PciAttributes> physical =
                own.link("physfn").flatMap(PciAddress::parse).map(pf -> new PciAttributes(node, pf));
        List<PciDevice> devices = physical.isPresent()
                ? List.of(virtualFunction(function, physical.orElseThrow()))
                : whole(function, own);
        Optional<String> unreadable =
                own.problem().or(() -> physical.flatMap(PciAttributes::problem).map(problem -> "its PF: " + problem));
        List<PciDevice> kept = unreadable.isPresent() && !known.isEmpty() ? known : devices;
        Optional<Health> unfit =
                unreadable.or(own::silence).or(() -> rdmaProblem(function)).map(Health::unhealthy);
        return kept.stream()
                .filter(device -> isPresent(address))
                .map(device -> unfit.map(device::withHealth).orElse(device))
                .toList();
    }

    /**
     * The devices that are neither PCI functions nor files: RDMA in software, and FPGAs of systems on chip.
     *
     * @throws IOException if the kernel does not tell which there are
     */
    public List<Device> withoutFunction() throws IOException {
        List<Device> devices = new ArrayList<>(node.rdma().withoutFunction());
        devices.addAll(new FpgaScan(sysfs).withoutFunction());
        return devices;
    }

    /**
     * The files that these patterns name, each once, in order, and then those of groups; what cannot be listed is told
     * and ends nothing.
     */
    public PathScan paths(Collection<PathGlob> patterns, Collection<PathGroup> groups) {
        TreeSet<String> found = new TreeSet<>();
        List<String> problems = new ArrayList<>();
        for (PathGlob pattern : patterns) {
            try {
                found.addAll(sysfs.glob(pattern));
            } catch (IOException e) {
                problems.add(pattern + ": " + e.getMessage());
            }
        }
        List<PathDevice> devices = new ArrayList<>();
        found.forEach(path -> devices.add(device(path, List.of(), Optional.empty())));
        for (PathGroup group : groups) {
            try {
                for (String path : sysfs.glob(group.first())) {
                    devices.add(device(path, group.beside(path), Optional.of(group)));
                }
            } catch (IOException e) {
                problems.add(group.first() + ": " + e.getMessage());
            }
        }
        return new PathScan(devices, problems);
    }

    /**
     * The files that were found.
     *
     * @param problems a line for each pattern that could not be followed
     */
    public record PathScan(List<PathDevice> devices, List<String> problems) {
        public PathScan {
            devices = List.copyOf(devices);
            problems = List.copyOf(problems);
        }
    }

    /** A file, and what belongs to it: without that it is of no use. */
    private PathDevice device(String path, List<String> beside, Optional<PathGroup> group) {
        List<PathDevice.File> files = new ArrayList<>();
        Health health = Health.HEALTHY;
        for (String one : Stream.concat(Stream.of(path), beside.stream()).toList()) {
            try {
                files.add(new PathDevice.File(one, sysfs.isDeviceNode(one.substring(1))));
                if (!one.equals(path) && !sysfs.exists(one.substring(1))) {
                    health = Health.unhealthy("lacks " + one + " of its group");
                }
            } catch (IOException e) {
                files.add(new PathDevice.File(one, false));
                health = Health.unhealthy(String.valueOf(e.getMessage()));
            }
        }
        return new PathDevice(path.substring(path.lastIndexOf('/') + 1), files, group, health);
    }

    /**
     * The NUMA nodes that the node has, in order; none where the kernel knows nothing of NUMA.
     *
     * @throws IOException if the kernel does not tell
     */
    public List<Integer> numaNodes() throws IOException {
        Matcher ranges =
                RANGE.matcher(sysfs.read("sys/devices/system/node/online").orElse(""));
        return ranges.results()
                .flatMap(range -> {
                    int from = Integer.parseInt(range.group(1));
                    int to = range.group(2) == null ? from : Integer.parseInt(range.group(2));
                    return IntStream.rangeClosed(from, to).boxed();
                })
                .toList();
    }

    /**
     * A function that is no VF is of one kind: FPGA regions if it has some with ports, else an HCA if it has RDMA
     * devices, else a network adapter if its class says so, else of no known family.
     */
    private static List<PciDevice> whole(PciFunction function, PciAttributes own) {
        List<FpgaRegion> regions = own.fpgaRegions(function);
        if (!regions.isEmpty()) {
            return List.copyOf(regions);
        }
        if (!function.rdmaDevices().isEmpty()) {
            return List.of(new Hca(function, Health.HEALTHY));
        }
        return List.of(
                function.isNetwork() ? new Nic(function, Health.HEALTHY) : new OtherPci(function, Health.HEALTHY));
    }

    private static PciFunction read(PciAddress address, PciAttributes own) {
        List<String> netNames = own.netNames();
        List<RdmaDevice> rdmaDevices = own.rdmaDevices(netNames);
        return new PciFunction(
                address,
                own.number("vendor").orElse(0),
                own.number("device").orElse(0),
                own.number("subsystem_vendor").orElse(0),
                own.number("subsystem_device").orElse(0),
                own.number("class").orElse(0),
                own.link("driver"),
                own.numaNode(),
                own.linkNumber("iommu_group"),
                own.rootPort(),
                netNames,
                own.linkTypes(netNames, rdmaDevices),
                rdmaDevices,
                own.carriesDefaultRoute(netNames),
                own.number("sriov_numvfs").orElse(0));
    }

    private static Optional<String> rdmaProblem(PciFunction function) {
        return function.rdmaDevices().stream()
                .flatMap(rdma -> rdma.health().problem().stream())
                .findFirst();
    }

    private static VirtualFunction virtualFunction(PciFunction function, PciAttributes physical) {
        int index = vfIndex(function.address(), physical);
        return new VirtualFunction(function, physical.address(), index, physical.netNames(), Health.HEALTHY);
    }

    /**
     * A VF's number follows from its routing ID (PCI Express base specification, First VF Offset and VF Stride), so
     * that reading one VF of 256 does not read 256 links.
     */
    private static int vfIndex(PciAddress vf, PciAttributes physical) {
        OptionalInt offset = physical.number("sriov_offset");
        OptionalInt stride = physical.number("sriov_stride");
        if (offset.isPresent() && stride.isPresent() && stride.getAsInt() > 0) {
            int index = (vf.routingId() - physical.address().routingId() - offset.getAsInt()) / stride.getAsInt();
            if (index < 0) {
                physical.fail("its sriov_offset and sriov_stride do not lead to its VF " + vf);
            }
            return Math.max(index, 0);
        }
        int index = 0;
        while (!physical.link("virtfn" + index).equals(Optional.of(vf.toString()))) {
            if (physical.link("virtfn" + index).isEmpty()) {
                physical.fail("has no link to its VF " + vf);
                return index;
            }
            index++;
        }
        return index;
    }

    private boolean isPresent(PciAddress address) {
        try {
            return sysfs.read(PciAttributes.FUNCTIONS + "/" + address + "/vendor")
                    .isPresent();
        } catch (IOException e) {
            return true;
        }
    }
}
