package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.device.UsbPort;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.UsbRules;
import io.edgeplug.node.scan.UsbScan;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The USB devices that the scans so far have found, by port; none while no class asks for any. One thread at a time. */
final class UsbDevices {

    private static final Logger LOG = Logger.getLogger(UsbDevices.class.getName());

    private static final String PLACE = "USB";

    /** A device that begins anew with another firmware, or that is plugged in again, is back within that time. */
    private static final long ANEW = Duration.ofSeconds(3).toNanos();

    private final ScanThread thread;
    private final ScanGate gate;
    private UsbRules rules;
    private final NavigableMap<UsbPort, UsbDevice> found = new TreeMap<>();

    /** When those that are not there any more have gone. They are unhealthy for a while, and then no devices. */
    private final Map<UsbPort, Long> gone = new HashMap<>();

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
            gone.clear();
        }
    }

    /** Those that are there, by port, and those that have just gone, unless they are there at another port. */
    Collection<UsbDevice> devices() {
        if (gone.isEmpty()) {
            return List.copyOf(found.values());
        }
        Set<String> there = found.values().stream()
                .filter(device -> !gone.containsKey(device.port()))
                .map(UsbDevice::id)
                .collect(Collectors.toSet());
        return found.values().stream()
                .filter(device -> !gone.containsKey(device.port()) || !there.contains(device.id()))
                .toList();
    }

    /** The time until the next device that has gone is none any more, in nanoseconds. */
    long left(long now) {
        return gone.values().stream()
                .mapToLong(since -> since + ANEW - now)
                .min()
                .orElse(Long.MAX_VALUE);
    }

    /** The ports of those whose time is over. */
    Set<UsbPort> due(long now) {
        return gone.entrySet().stream()
                .filter(entry -> entry.getValue() + ANEW - now <= 0)
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    /** Looks at all ports. The devices stay as they were if the node does not list them. */
    void scan() {
        if (rules.isEmpty()) {
            return;
        }
        try {
            Set<UsbPort> ports = new TreeSet<>(found.keySet());
            ports.addAll(thread.look(PLACE, () -> new UsbScan(thread.sysfs()).ports()));
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
        UsbDevice before = found.get(port);
        if (before != null && gate.isClosed(before)) {
            return;
        }
        UsbDevice now = read(port, before);
        if (now != null) {
            gone.remove(port);
            if (!now.equals(before)) {
                found.put(port, now);
            }
        } else if (before != null) {
            leave(before);
        }
    }

    private void leave(UsbDevice device) {
        UsbPort port = device.port();
        long since = gone.computeIfAbsent(port, any -> System.nanoTime());
        if (System.nanoTime() - since >= ANEW) {
            found.remove(port);
            gone.remove(port);
        } else {
            found.put(port, device.withHealth(Health.unhealthy("is not plugged in at " + port + overCurrent(port))));
        }
    }

    private String overCurrent(UsbPort port) {
        try {
            return thread.look("USB " + port, () -> new UsbScan(thread.sysfs()).overCurrent(port))
                    .map(count -> ", where its hub has reported too much current (over_current_count is " + count + ")")
                    .orElse("");
        } catch (IOException e) {
            return "";
        }
    }

    private @Nullable UsbDevice read(UsbPort port, @Nullable UsbDevice before) {
        try {
            return thread.look("USB " + port, () -> new UsbScan(thread.sysfs()).device(port))
                    .map(rules::own)
                    .orElse(null);
        } catch (IOException e) {
            return before == null ? null : before.withHealth(Health.unhealthy(String.valueOf(e.getMessage())));
        }
    }
}
