package io.edgeplug.inventory;

import io.edgeplug.device.Changing;
import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.DeviceScan;
import io.edgeplug.device.Health;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PathGroup;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.VirtualFunction;
import io.edgeplug.linux.PathGlob;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** What the scans so far have found on a node; one thread at a time. */
final class NodeDevices {

    private static final Logger LOG = Logger.getLogger(NodeDevices.class.getName());

    private final Sysfs sysfs;
    private final Holds holds;
    private List<DeviceClass> classes;

    /** By address; a function may be several devices. */
    private final List<PciDevice> functions = new ArrayList<>();

    private List<Device> withoutFunction = List.of();
    private List<PathDevice> paths = List.of();
    private final FirstKinds firstKinds = new FirstKinds();
    private List<String> pathProblems = List.of();
    private List<Integer> numaNodes = List.of();

    /** The scan of everything that was begun last, and the functions that it has not come to. */
    private DeviceScan whole;

    private final SequencedSet<PciAddress> left = new LinkedHashSet<>();

    /** PFs of VFs that have gone since they were asked for last. */
    private final Set<PciAddress> bereft = new HashSet<>();

    /** Of a node, of whose devices those that are held stay as they were. */
    NodeDevices(Sysfs sysfs, List<DeviceClass> classes, Holds holds) {
        this.holds = holds;
        this.sysfs = sysfs;
        this.whole = new DeviceScan(sysfs);
        this.classes = List.copyOf(classes);
    }

    /** Looks for the files of these classes from now on. */
    void use(List<DeviceClass> newClasses) {
        classes = List.copyOf(newClasses);
    }

    /** PCI functions by address, then others by name, then files by path. */
    List<Device> devices() {
        List<Device> devices = new ArrayList<>(functions.size() + withoutFunction.size() + paths.size());
        devices.addAll(functions);
        devices.addAll(withoutFunction);
        devices.addAll(paths);
        return devices;
    }

    /** The devices in a place, as {@link Settling} calls it. */
    List<Device> at(String place) {
        return PciAddress.parse(place)
                .map(address -> List.<Device>copyOf(known(address)))
                .orElseGet(() -> Stream.concat(withoutFunction.stream(), paths.stream())
                        .filter(device -> device.id().equals(place))
                        .toList());
    }

    List<Integer> numaNodes() {
        return numaNodes;
    }

    /**
     * Looks at everything.
     *
     * @throws IOException if the node does not tell which devices it has; then all stays as it was
     */
    void scanAll() throws IOException {
        beginScan();
        while (hasMore()) {
            scanMore();
        }
    }

    /**
     * Begins to look at everything: what is gone is seen at once, and the functions are left for {@link #scanMore}.
     *
     * @throws IOException if the node does not tell which devices it has; then all stays as it was
     */
    void beginScan() throws IOException {
        DeviceScan scan = new DeviceScan(sysfs);
        List<PciAddress> addresses = scan.functions();
        numaNodes = numaNodes(scan);
        withoutFunction = holds.keep(withoutFunction, scan.withoutFunction());
        Set<PciAddress> present = new HashSet<>(addresses);
        functions.stream()
                .map(device -> device.function().address())
                .filter(address -> !present.contains(address) && !holds.isHeld(address))
                .distinct()
                .toList()
                .forEach(address -> put(address, List.of()));
        scanPaths(scan);
        whole = scan;
        // what the scan before has not come to is looked at first, however often a new one begins
        left.retainAll(present);
        left.addAll(addresses);
    }

    /** Whether functions are left to look at. */
    boolean hasMore() {
        return !left.isEmpty();
    }

    /** Looks at one function that is left: a scan of thousands takes a second, and bad news must not wait for it. */
    void scanMore() {
        scanOne(whole, left.removeFirst());
    }

    private List<Integer> numaNodes(DeviceScan scan) {
        try {
            return scan.numaNodes();
        } catch (IOException e) {
            LOG.warning(() -> "cannot tell the NUMA nodes, they stay as they were: " + e.getMessage());
            return numaNodes;
        }
    }

    /**
     * Looks at what is neither a function nor a file.
     *
     * @throws IOException if the node does not tell which there are; then all stays as it was
     */
    void scanWithoutFunction() throws IOException {
        withoutFunction = holds.keep(withoutFunction, new DeviceScan(sysfs).withoutFunction());
    }

    /**
     * Looks at these functions, and at the VFs of a PF, which are known by its names. What is the same for all functions is
     * read once, however many there are.
     */
    void scan(Collection<PciAddress> addresses) {
        DeviceScan scan = new DeviceScan(sysfs);
        addresses.forEach(address -> scan(scan, address));
    }

    private void scan(DeviceScan scan, PciAddress address) {
        boolean wasVf = isVf(address);
        scanOne(scan, address);
        // a VF has none of its own, and to look for them takes longer the more devices there are
        if (!wasVf && !isVf(address)) {
            vfs(address).forEach(vf -> scanOne(scan, vf));
        }
    }

    private boolean isVf(PciAddress address) {
        return known(address).stream().anyMatch(VirtualFunction.class::isInstance);
    }

    private List<PciAddress> vfs(PciAddress pf) {
        return functions.stream()
                .filter(device -> device instanceof VirtualFunction vf
                        && vf.physicalFunction().equals(pf))
                .map(device -> device.function().address())
                .toList();
    }

    private void scanOne(DeviceScan scan, PciAddress address) {
        // what is the same for all functions may be older in the scan of all than what is seen now
        left.remove(address);
        holds.unlessHeld(address, () -> {
            // the kernel tells of a function that another process has changed, as one that is run by hand, once it is
            // done
            if (known(address).isEmpty() || !Changing.concerns(sysfs, address)) {
                look(scan, address);
            }
        });
    }

    private void look(DeviceScan scan, PciAddress address) {
        List<PciDevice> known = List.copyOf(known(address));
        List<PciDevice> found = scan.function(address, known);
        // what is as it was stays the same object, so that nobody looks at it again
        if (!found.equals(known)) {
            put(address, found);
        }
    }

    private void put(PciAddress address, List<PciDevice> found) {
        List<PciDevice> known = known(address);
        if (found.isEmpty()) {
            for (PciDevice device : known) {
                if (device instanceof VirtualFunction vf) {
                    bereft.add(vf.physicalFunction());
                }
            }
        }
        known.clear();
        known.addAll(found);
    }

    /** The devices of a function, or where they would be: a part of the list of all. */
    private List<PciDevice> known(PciAddress address) {
        int from = 0;
        int to = functions.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (functions.get(middle).function().address().compareTo(address) < 0) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        while (to < functions.size() && functions.get(to).function().address().equals(address)) {
            to++;
        }
        return functions.subList(from, to);
    }

    /** The PFs that have lost a VF since this was asked last. */
    Set<PciAddress> takeBereft() {
        Set<PciAddress> pfs = Set.copyOf(bereft);
        bereft.clear();
        return pfs;
    }

    /** Whether a function says that it has VFs, and none of them is there. */
    boolean isEmptied(PciAddress pf) {
        return known(pf).stream().anyMatch(device -> device.function().virtualFunctions() > 0) && vfs(pf).isEmpty();
    }

    /** Files in a directory that cannot be listed now are still listed, as unhealthy. */
    private void scanPaths(DeviceScan scan) {
        List<PathGlob> globs = classes.stream().flatMap(DeviceClass::paths).toList();
        List<PathGroup> groups = classes.stream()
                .flatMap(one -> one.groups().stream())
                .distinct()
                .toList();
        DeviceScan.PathScan found = scan.paths(globs, groups);
        Map<String, PathDevice> byPath = new TreeMap<>();
        if (!found.problems().isEmpty()) {
            Health unknown = Health.unhealthy(String.join("; ", found.problems()));
            paths.forEach(device -> byPath.put(device.path(), device.withHealth(unknown)));
        }
        found.devices().forEach(device -> byPath.put(device.path(), firstKinds.judged(device)));
        paths = List.copyOf(byPath.values());
        if (!found.problems().equals(pathProblems)) {
            found.problems().forEach(LOG::warning);
            pathProblems = found.problems();
        }
    }
}
