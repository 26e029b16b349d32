package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.UsbPort;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.UsbRules;
import io.edgeplug.node.scan.UsbScan;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.logging.Logger;

/** The USB devices that the scans so far have found, by port; none while no class asks for any. One thread at a time. */
final class UsbDevices {

    private static final Logger LOG = Logger.getLogger(UsbDevices.class.getName());

    private static final String PLACE = "USB";

    private final ScanThread thread;
    private final ScanGate gate;
    private UsbRules rules;
    private NavigableMap<UsbPort, UsbDevice> found = new TreeMap<>();

    /** Devices in preparation stay as they were. */
    UsbDevices(ScanThread thread, List<DeviceClass> classes, ScanGate gate) {
        this.thread = thread;
        this.gate = gate;
        this.rules = UsbRules.of(classes);
    }

    /** Looks for the devices of these classes from now on. */
    void use(List<DeviceClass> newClasses) {
        rules = UsbRules.of(newClasses);
        if (rules.isEmpty()) {
            found.clear();
        }
    }

    Collection<UsbDevice> devices() {
        return List.copyOf(found.values());
    }

    /** Looks at all ports. Those that were known stay as they were if the node does not list them. */
    void scan() {
        if (rules.isEmpty()) {
            return;
        }
        try {
            List<UsbPort> ports = thread.look(PLACE, () -> new UsbScan(thread.sysfs()).ports());
            found.values().removeIf(device -> !ports.contains(device.port()) && !gate.isClosed(device));
            ports.forEach(this::scan);
        } catch (IOException e) {
            LOG.warning(() -> "cannot read the USB devices, they stay as they were: " + e.getMessage());
        }
    }

    /** Looks at these ports. Returns the devices there now. */
    List<UsbDevice> look(Collection<UsbPort> ports) {
        if (rules.isEmpty()) {
            return List.of();
        }
        ports.forEach(this::scan);
        return ports.stream()
                .flatMap(port -> Optional.ofNullable(found.get(port)).stream())
                .toList();
    }

    /** An unchanged device stays the same object, so that no later step works on it again. */
    private void scan(UsbPort port) {
        Optional<UsbDevice> before = Optional.ofNullable(found.get(port));
        if (before.filter(gate::isClosed).isPresent()) {
            return;
        }
        Optional<UsbDevice> now = read(port, before);
        if (now.isEmpty()) {
            found.remove(port);
        } else if (!now.equals(before)) {
            found.put(port, now.orElseThrow());
        }
    }

    private Optional<UsbDevice> read(UsbPort port, Optional<UsbDevice> before) {
        try {
            return thread.look("USB " + port, () -> new UsbScan(thread.sysfs()).device(port))
                    .map(rules::own);
        } catch (IOException e) {
            return before.map(device -> device.withHealth(Health.unhealthy(String.valueOf(e.getMessage()))));
        }
    }
}
