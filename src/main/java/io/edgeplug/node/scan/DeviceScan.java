package io.edgeplug.node.scan;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes devices of the node's present state.
 *
 * <p>The unit is the scan of one function. The scan of a node does the same for all functions, so a uevent and a
 * restart lead to the same result. A function that disappears while it is read is absent. A function that cannot be
 * read is unhealthy and says why.
 *
 * <p>An object is for one look at the node: it reads data that all functions share only once. One thread at a time uses
 * it.
 */
public final class DeviceScan {

    /**
     * The kernel has no more (MAX_NUMNODES in include/linux/numa.h). A larger number in a tree of files would only cost
     * time.
     */
    private static final int MAX_NUMA_NODES = 1024;

    private static final Pattern RANGE = Pattern.compile("(\\d{1,4})(?:-(\\d{1,4}))?");

    private final Sysfs sysfs;
    private final NodeWide node;

    /** A scan of that node, which reads data that all functions share at most once. */
    public DeviceScan(Sysfs sysfs) {
        this.sysfs = sysfs;
        this.node = new NodeWide(sysfs);
    }

    /**
     * The addresses of all PCI functions, in order.
     *
     * @throws IOException if the node has PCI and the list cannot be read
     */
    public List<PciAddress> functions() throws IOException {
        return sysfs.names(PciAttributes.FUNCTIONS).stream()
                .flatMap(name -> PciAddress.parse(name).stream())
                .sorted()
                .toList();
    }

    /** The devices at that address: none if there is no function, several if it has FPGA regions or sub-functions. */
    public List<PciDevice> function(PciAddress address) {
        FunctionScan scan = scan(address);
        return scan.answering(scan.devices(List.of()));
    }

    /** Whether there is a function at that address. Nothing of it is read. */
    public static boolean isThere(Sysfs sysfs, PciAddress address) {
        try {
            return sysfs.exists(PciAttributes.FUNCTIONS + "/" + address);
        } catch (IOException e) {
            return true;
        }
    }

    /** The scan of the function at that address, for callers that go step by step. */
    public FunctionScan scan(PciAddress address) {
        return new FunctionScan(node, address);
    }

    /**
     * The devices that are neither PCI functions nor files: RDMA in software, and FPGAs of systems on chip.
     *
     * @throws IOException if the kernel does not list them
     */
    public List<Device> withoutFunction() throws IOException {
        List<Device> devices = new ArrayList<>(node.rdma().withoutFunction());
        devices.addAll(new FpgaScan(sysfs).withoutFunction());
        return devices;
    }

    /**
     * The NUMA nodes of the node, in order; none if the kernel has no NUMA.
     *
     * @throws IOException if the kernel does not list them
     */
    public List<Integer> numaNodes() throws IOException {
        Matcher ranges =
                RANGE.matcher(sysfs.read("sys/devices/system/node/online").orElse(""));
        BitSet nodes = new BitSet();
        while (ranges.find()) {
            int from = Math.min(Integer.parseInt(ranges.group(1)), MAX_NUMA_NODES);
            long last = ranges.group(2) == null ? from : Integer.parseInt(ranges.group(2));
            nodes.set(from, Math.clamp(last + 1, from, MAX_NUMA_NODES));
        }
        return nodes.stream().boxed().toList();
    }
}
