package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.PathDevice;
import io.edgeplug.device.PciAddress;
import io.edgeplug.linux.FileWatch;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.scan.DeviceScan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.logging.Logger;

/** What the scans so far have found on a node; one thread at a time, which has its {@link ScanThread} do all reading. */
final class NodeDevices {

    private static final Logger LOG = Logger.getLogger(NodeDevices.class.getName());

    private final ScanThread thread;
    private final Sysfs sysfs;
    private final DevicesInPreparation inPreparation;
    private final FunctionDevices functions;
    private final PathDevices paths;
    private List<Device> withoutFunction = List.of();
    private List<Integer> numaNodes = List.of();

    /** Of a node that nobody follows, of whose devices those in preparation stay as they were. */
    NodeDevices(ScanThread thread, List<DeviceClass> classes, DevicesInPreparation inPreparation) {
        this(thread, Optional.empty(), classes, inPreparation);
    }

    /** The same, of which {@code watch} tells when files are to be looked at again. */
    NodeDevices(
            ScanThread thread,
            Optional<FileWatch> watch,
            List<DeviceClass> classes,
            DevicesInPreparation inPreparation) {
        this.inPreparation = inPreparation;
        this.thread = thread;
        this.sysfs = thread.sysfs();
        this.functions = new FunctionDevices(thread, inPreparation);
        this.paths = new PathDevices(thread, watch, classes, inPreparation);
    }

    /** Looks for the files of these classes from now on. */
    void use(List<DeviceClass> newClasses) {
        paths.use(newClasses);
    }

    /** PCI functions by address, then others by name, then files by path. */
    List<Device> devices() {
        List<Device> devices = new ArrayList<>(functions.devices());
        devices.addAll(withoutFunction);
        devices.addAll(paths.devices());
        return devices;
    }

    /** The devices in a place, of which some may not be ready: files always are. */
    List<Device> at(Place place) {
        return place.function()
                .map(address -> List.<Device>copyOf(functions.at(address)))
                .orElseGet(() -> withoutFunction.stream()
                        .filter(device -> device.id().equals(place.name()))
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
        paths.scan();
        functions.begin(addresses);
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
        return functions.hasMore();
    }

    /**
     * Looks at functions that are left, one at least and then as long as it is to go on: a scan of thousands takes a
     * second, and bad news must not wait for it.
     */
    void scanMore(BooleanSupplier goesOn) {
        boolean ignored = thread.run(() -> {
            functions.scanMore(new DeviceScan(sysfs), goesOn);
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
        withoutFunction = inPreparation.keep(
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
                addresses.forEach(address -> functions.scan(scan, address));
                return true;
            });
        }
    }

    /** When something is to be looked at again without a uevent; far away if nothing is. */
    long next(long now) {
        return functions.next(now);
    }

    /** Looks at PFs whose VFs have gone, if it is time. */
    void scanDuePfs(long now) {
        scan(functions.duePfs(now));
    }

    /** Follows the PFs whose VFs have gone. Goes through all devices, so after the news is published. */
    void followPfs(long now) {
        functions.followPfs(now);
    }
}
