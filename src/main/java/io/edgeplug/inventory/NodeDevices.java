package io.edgeplug.inventory;

import io.edgeplug.device.Changing;
import io.edgeplug.device.Device;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.device.DeviceScan;
import io.edgeplug.device.FunctionScan;
import io.edgeplug.device.Health;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.VirtualFunction;
import io.edgeplug.linux.FileWatch;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.logging.Logger;

/** What the scans so far have found on a node; one thread at a time, which has its {@link ScanThread} do all reading. */
final class NodeDevices {

    private static final Logger LOG = Logger.getLogger(NodeDevices.class.getName());

    private final ScanThread thread;
    private final Sysfs sysfs;
    private final Holds holds;
    private final PathDevices paths;

    /** By address; a function may be several devices. */
    private final List<PciDevice> functions = new ArrayList<>();

    private List<Device> withoutFunction = List.of();
    private List<Integer> numaNodes = List.of();

    /** The functions that the scan of everything has not come to. */
    private final SequencedSet<PciAddress> left = new LinkedHashSet<>();

    /** PFs of VFs that have gone since they were asked for last. */
    private final Set<PciAddress> bereft = new HashSet<>();

    /** Of a node that nobody follows, of whose devices those that are held stay as they were. */
    NodeDevices(ScanThread thread, List<DeviceClass> classes, Holds holds) {
        this(thread, Optional.empty(), classes, holds);
    }

    /** The same, of which {@code watch} tells when files are to be looked at again. */
    NodeDevices(ScanThread thread, Optional<FileWatch> watch, List<DeviceClass> classes, Holds holds) {
        this.holds = holds;
        this.thread = thread;
        this.sysfs = thread.sysfs();
        this.paths = new PathDevices(thread, watch, classes, holds);
    }

    /** Looks for the files of these classes from now on. */
    void use(List<DeviceClass> newClasses) {
        paths.use(newClasses);
    }

    /** PCI functions by address, then others by name, then files by path. */
    List<Device> devices() {
        List<Device> devices = new ArrayList<>(functions);
        devices.addAll(withoutFunction);
        devices.addAll(paths.devices());
        return devices;
    }

    /** The devices in a place, as {@link Settling} calls it, of which some may not be ready: files always are. */
    List<Device> at(String place) {
        return PciAddress.parse(place)
                .map(address -> List.<Device>copyOf(known(address)))
                .orElseGet(() -> withoutFunction.stream()
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
        scanMore(() -> true);
    }

    /**
     * Begins to look at everything: what is gone is seen at once, and the functions are left for {@link #scanMore}.
     *
     * @throws IOException if the node does not tell which devices it has; then all stays as it was
     */
    void beginScan() throws IOException {
        Optional<IOException> problem = thread.run(() -> {
            try {
                begin(new DeviceScan(sysfs));
                return Optional.empty();
            } catch (IOException e) {
                return Optional.of(e);
            }
        });
        if (problem.isPresent()) {
            throw problem.orElseThrow();
        }
    }

    private void begin(DeviceScan scan) throws IOException {
        List<PciAddress> addresses = thread.look("PCI", scan::functions);
        numaNodes = otherwise("NUMA nodes", scan::numaNodes, numaNodes);
        lookWithoutFunction(scan);
        Set<PciAddress> present = new HashSet<>(addresses);
        functions.stream()
                .map(device -> device.function().address())
                .filter(address -> !present.contains(address) && !holds.isHeld(address))
                .distinct()
                .toList()
                .forEach(address -> put(address, List.of()));
        paths.scan();
        // what the scan before has not come to is looked at first, however often a new one begins
        left.retainAll(present);
        left.addAll(addresses);
    }

    /** What cannot be told stays as it was. */
    private <T> T otherwise(String place, ScanThread.Look<T> look, T before) {
        try {
            return thread.look(place, look);
        } catch (IOException e) {
            LOG.warning(() -> "cannot tell the " + place + ", they stay as they were: " + e.getMessage());
            return before;
        }
    }

    /** Whether functions are left to look at. */
    boolean hasMore() {
        return !left.isEmpty();
    }

    /**
     * Looks at functions that are left, one at least and then as long as it is to go on: a scan of thousands takes a
     * second, and bad news must not wait for it.
     */
    void scanMore(BooleanSupplier goesOn) {
        boolean ignored = thread.run(() -> {
            DeviceScan scan = new DeviceScan(sysfs);
            boolean goes = hasMore();
            while (goes) {
                scanOne(scan, left.getFirst());
                goes = hasMore() && goesOn.getAsBoolean();
            }
            return true;
        });
    }

    /** Looks at what is neither a function nor a file. */
    void scanWithoutFunction() {
        boolean ignored = thread.run(() -> {
            lookWithoutFunction(new DeviceScan(sysfs));
            return true;
        });
    }

    /** Looks at the files at these paths and below; those that are there, if it has not looked at all. */
    List<PathDevice> scanFiles(Set<String> changed) {
        return changed.isEmpty() ? List.of() : thread.run(() -> paths.look(changed));
    }

    private void lookWithoutFunction(DeviceScan scan) {
        withoutFunction = holds.keep(
                withoutFunction, otherwise("devices without a function", scan::withoutFunction, withoutFunction));
    }

    /**
     * Looks at these functions, and at the VFs of a PF, which are known by its names. What is the same for all functions is
     * read once, however many there are.
     */
    void scan(Collection<PciAddress> addresses) {
        if (!addresses.isEmpty()) {
            boolean ignored = thread.run(() -> {
                DeviceScan scan = new DeviceScan(sysfs);
                addresses.forEach(address -> scan(scan, address));
                return true;
            });
        }
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
        holds.unlessHeld(address, () -> {
            Optional<Changing> changing = Changing.of(sysfs, address);
            // the kernel tells of a function that another process has changed, once that is done
            if (known(address).isEmpty() || changing.filter(Changing::goesOn).isEmpty()) {
                look(scan, address, changing.filter(note -> !note.goesOn()).map(Changing::problem));
            }
        });
        // at the end: a scan that is begun again, since this look was stuck, has its word on it too
        left.remove(address);
    }

    /** Looks at a function, which may have been left half changed. */
    private void look(DeviceScan scan, PciAddress address, Optional<String> halfChanged) {
        List<PciDevice> known = List.copyOf(known(address));
        List<PciDevice> found;
        try {
            found = read(scan.scan(address), address, known);
        } catch (IOException e) {
            found = unread(address, String.valueOf(e.getMessage()));
        }
        if (halfChanged.isPresent()) {
            found = unhealthy(found, halfChanged.orElseThrow());
        }
        // what is as it was stays the same object, so that nobody looks at it again
        if (!found.equals(known)) {
            put(address, found);
        }
    }

    private static List<PciDevice> unhealthy(List<PciDevice> devices, String problem) {
        return devices.stream()
                .map(device -> device.withHealth(Health.unhealthy(problem)))
                .toList();
    }

    private List<PciDevice> read(FunctionScan scan, PciAddress address, List<PciDevice> known) throws IOException {
        List<PciDevice> devices = thread.look(address.toString(), () -> scan.devices(known));
        if (known.isEmpty()) {
            // what is known of it if its configuration space can never be read
            put(address, devices);
        }
        return thread.look(address.toString(), () -> scan.answering(devices));
    }

    /** What is known of a function that is there and cannot be looked at. */
    private List<PciDevice> unread(PciAddress address, String problem) {
        if (!DeviceScan.isThere(sysfs, address)) {
            return List.of();
        }
        List<PciDevice> known = known(address);
        return unhealthy(known.isEmpty() ? List.of(FunctionScan.unread(address)) : known, problem);
    }

    private void put(PciAddress address, List<PciDevice> found) {
        List<PciDevice> known = known(address);
        if (found.isEmpty()) {
            thread.forget(address.toString());
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
}
