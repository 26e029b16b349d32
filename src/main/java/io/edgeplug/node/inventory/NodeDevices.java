package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.UsbPort;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.scan.DeviceScan;
import io.edgeplug.system.files.FileWatch;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The devices of a node that the scans so far have found. One thread at a time uses it, and its {@link ScanThread} does
 * all reading.
 */
final class NodeDevices {

    private static final Logger LOG = Logger.getLogger(NodeDevices.class.getName());

    private final ScanThread thread;
    private final Sysfs sysfs;
    private final ScanGate gate;
    private final FunctionDevices functions;
    private final PathDevices paths;
    private final UsbDevices usb;
    private List<Device> withoutFunction = List.of();
    private List<Integer> numaNodes = List.of();

    /** The devices of a node that is scanned once. Devices in preparation stay as they were. */
    NodeDevices(ScanThread thread, List<DeviceClass> classes, ScanGate gate) {
        this(thread, null, classes, gate);
    }

    /** The devices of a node that is followed. The {@code watch} reports files that must be scanned again. */
    NodeDevices(ScanThread thread, @Nullable FileWatch watch, List<DeviceClass> classes, ScanGate gate) {
        this.gate = gate;
        this.thread = thread;
        this.sysfs = thread.sysfs();
        this.functions = new FunctionDevices(thread, gate);
        this.usb = new UsbDevices(thread, classes, gate);
        this.paths = new PathDevices(thread, watch, classes, gate);
    }

    /** Looks for the files of these classes from now on. */
    void use(List<DeviceClass> newClasses) {
        paths.use(newClasses);
        usb.use(newClasses);
    }

    /** PCI functions by address, then others by name, then USB devices by port, then files by path. */
    List<Device> devices() {
        List<Device> devices = new ArrayList<>(functions.devices());
        devices.addAll(withoutFunction);
        devices.addAll(usb.devices());
        devices.addAll(paths.devices());
        return devices;
    }

    /** The devices at a place that may not be complete yet. Files always are. */
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
     * Scans everything.
     *
     * @throws IOException if the node does not list its devices; then nothing changes
     */
    void scanAll() throws IOException {
        beginScan();
        scanMore(() -> true);
    }

    /**
     * Begins to scan everything. Devices that are gone are noticed at once, and the functions are left for
     * {@link #scanMore}.
     *
     * @throws IOException if the node does not list its devices; then nothing changes
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
        usb.scan();
        paths.scan();
        functions.begin(addresses);
    }

    /** Keeps the old value if the new one cannot be read. */
    private <T> T otherwise(String place, ScanThread.Look<T> look, T before) {
        try {
            return thread.look(place, look);
        } catch (IOException e) {
            LOG.warning(() -> "cannot read the " + place + ", they stay as they were: " + e.getMessage());
            return before;
        }
    }

    /** Whether the scan has functions left. */
    boolean hasMore() {
        return functions.hasMore();
    }

    /**
     * Scans functions that are left: at least one, and then for as long as it may go on. A scan of thousands takes a
     * second, and bad news must not wait for it.
     */
    void scanMore(BooleanSupplier goesOn) {
        boolean ignored = thread.run(() -> {
            functions.scanMore(new DeviceScan(sysfs), goesOn);
            return true;
        });
    }

    /** Scans the devices that are neither functions nor files. */
    void scanWithoutFunction() {
        boolean ignored = thread.run(() -> {
            lookWithoutFunction(new DeviceScan(sysfs));
            return true;
        });
    }

    /** Scans the files at these paths and below. Returns those that exist, unless it has scanned all files. */
    List<PathDevice> scanFiles(Set<String> changed) {
        return changed.isEmpty() ? List.of() : thread.run(() -> paths.look(changed));
    }

    /** Scans the USB devices at these ports. Returns those that are there. */
    List<UsbDevice> scanUsb(Set<UsbPort> ports) {
        return ports.isEmpty() ? List.of() : thread.run(() -> usb.look(ports));
    }

    private void lookWithoutFunction(DeviceScan scan) {
        withoutFunction = gate.keep(
                withoutFunction, otherwise("devices without a function", scan::withoutFunction, withoutFunction));
    }

    /**
     * Scans these functions. For a PF, also scans its VFs, because they are known by the PF's names. Data that all
     * functions share is read once.
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

    /** The time until the next scan is due without a uevent, in nanoseconds. */
    long left(long now) {
        return Math.min(functions.left(now), usb.left(now));
    }

    /** Scans PFs whose VFs have gone, and ports whose devices have gone, if it is time. */
    void scanDue(long now) {
        scan(functions.duePfs(now));
        List<UsbDevice> ignored = scanUsb(usb.due(now));
    }

    /** Follows the PFs whose VFs have gone. This goes through all devices, so it runs after the news is published. */
    void followPfs(long now) {
        functions.followPfs(now);
    }
}
