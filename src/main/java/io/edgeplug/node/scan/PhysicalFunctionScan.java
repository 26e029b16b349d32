package io.edgeplug.node.scan;

import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PfPart;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads the PFs of a node and their VFs; see Documentation/ABI/testing/sysfs-bus-pci in the kernel. */
public final class PhysicalFunctionScan {

    private static final String TOTAL_VFS = "sriov_totalvfs";
    private static final int UP = 1;

    private final Sysfs sysfs;
    private final DeviceScan devices;

    /** A scan of that node, which reads data that all functions share at most once. */
    public PhysicalFunctionScan(Sysfs sysfs) {
        this.sysfs = sysfs;
        this.devices = new DeviceScan(sysfs);
    }

    /**
     * The addresses of all PFs, in order. Nothing else of them is read.
     *
     * @throws IOException if the node does not list them
     */
    public List<PciAddress> addresses() throws IOException {
        List<PciAddress> found = new ArrayList<>();
        for (PciAddress address : devices.functions()) {
            if (sysfs.exists(PciAttributes.FUNCTIONS + "/" + address + "/" + TOTAL_VFS)) {
                found.add(address);
            }
        }
        return found;
    }

    /** The PF at an address; empty if there is no function or it is no PF. */
    public Optional<PhysicalFunction> of(PciAddress address) throws IOException {
        String directory = PciAttributes.FUNCTIONS + "/" + address + "/";
        OptionalInt total = number(directory + TOTAL_VFS);
        Optional<PciDevice> device = total.isEmpty()
                ? Optional.empty()
                : devices.function(address).stream()
                        .filter(one -> !(one instanceof PfPart))
                        .findFirst();
        if (device.isEmpty()) {
            return Optional.empty();
        }
        List<String> nets = device.orElseThrow().function().netNames();
        return Optional.of(new PhysicalFunction(
                device.orElseThrow(),
                total.orElseThrow(),
                number(directory + "sriov_numvfs").orElse(0),
                number(directory + "sriov_drivers_autoprobe").stream()
                        .mapToObj(flag -> flag != 0)
                        .findFirst(),
                nets.isEmpty() ? Optional.empty() : Optional.of(port(directory, nets.getFirst())),
                hasRepresentors(directory + "net"),
                vfs(directory)));
    }

    /** The interface of the PF at an address, with its present name. */
    public Optional<PhysicalFunction.Port> port(PciAddress address) throws IOException {
        String directory = PciAttributes.FUNCTIONS + "/" + address + "/";
        Optional<PciDevice> device = devices.function(address).stream().findFirst();
        List<String> nets = device.map(one -> one.function().netNames()).orElse(List.of());
        return nets.isEmpty() ? Optional.empty() : Optional.of(port(directory, nets.getFirst()));
    }

    private PhysicalFunction.Port port(String directory, String name) throws IOException {
        String net = directory + "net/" + name + "/";
        // All interfaces of a bond show the address of one of them, so the permanent address is read.
        Optional<String> permanent = sysfs.read(net + "bonding_slave/perm_hwaddr");
        return new PhysicalFunction.Port(
                name,
                permanent.isPresent() ? permanent : sysfs.read(net + "address"),
                number(net + "mtu"),
                number(net + "flags").stream()
                        .mapToObj(flags -> (flags & UP) != 0)
                        .findFirst());
    }

    /** The switch ID says nothing: drivers such as ice and mlx5_core show it in both modes. */
    private boolean hasRepresentors(String directory) throws IOException {
        SortedMap<String, String> nets = new TreeMap<>();
        sysfs.names(directory).forEach(net -> nets.put(net, directory));
        try {
            return new NetworkPorts(sysfs, nets).haveRepresentors();
        } catch (IOException e) {
            // One of them is just being removed.
            return false;
        }
    }

    private List<PhysicalFunction.Vf> vfs(String directory) throws IOException {
        List<PhysicalFunction.Vf> vfs = new ArrayList<>();
        Optional<PciAddress> address = vf(directory, 0);
        while (address.isPresent()) {
            vfs.add(vf(vfs.size(), address.orElseThrow()));
            address = vf(directory, vfs.size());
        }
        return vfs;
    }

    private Optional<PciAddress> vf(String directory, int index) throws IOException {
        return sysfs.linkName(directory + "virtfn" + index).flatMap(PciAddress::parse);
    }

    private PhysicalFunction.Vf vf(int index, PciAddress address) throws IOException {
        String directory = PciAttributes.FUNCTIONS + "/" + address + "/";
        Optional<String> rdma = sysfs.names(directory + "infiniband").stream().findFirst();
        return new PhysicalFunction.Vf(
                index,
                address,
                sysfs.linkName(directory + "driver"),
                sysfs.read(directory + "driver_override").filter(text -> !text.isEmpty() && !text.equals("(null)")),
                PciAttributes.parsed(sysfs.linkName(directory + "iommu_group").orElse(null)),
                rdma.isPresent()
                        ? sysfs.read(directory + "infiniband/" + rdma.orElseThrow() + "/node_guid")
                        : Optional.empty(),
                hasInterfaceElsewhere(sysfs, directory));
    }

    /**
     * Whether the network interface of a function is in another network namespace, probably that of a pod. The directory
     * is visible to everyone, but the interface in it only within its namespace. It is looked at twice, because the
     * driver may just be making or removing both.
     *
     * @param directory of the function, with a final slash
     */
    public static boolean hasInterfaceElsewhere(Sysfs sysfs, String directory) throws IOException {
        boolean seemsElsewhere = isEmptyDirectory(sysfs, directory + "net");
        return seemsElsewhere && isEmptyDirectory(sysfs, directory + "net");
    }

    private static boolean isEmptyDirectory(Sysfs sysfs, String path) throws IOException {
        return sysfs.exists(path) && sysfs.names(path).isEmpty();
    }

    private OptionalInt number(String path) throws IOException {
        return PciAttributes.parsed(sysfs.read(path).orElse(null));
    }
}
