package io.edgeplug.inventory;

import io.edgeplug.device.Device;
import io.edgeplug.device.Health;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.linux.Uevent;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The devices that are being prepared, which nobody looks at, and what is wrong with those that could not be.
 *
 * <p>Not to look is more than not to tell: the kernel keeps whoever reads the configuration space of a function that is
 * being reset, for as long as that takes.
 */
final class Holds {

    /** For so long after a preparation, uevents of the device may be of the preparation itself. */
    private static final Duration ECHO = Duration.ofSeconds(2);

    // guarded by this
    private final Map<String, Device> held = new HashMap<>();
    private final Map<String, Problem> problems = new HashMap<>();

    /** What is wrong, and since when by the clock that no one sets. */
    private record Problem(Device device, String text, long since) {

        boolean isNamedBy(Uevent uevent) {
            return device instanceof PciDevice pci
                    ? PciAddress.lastIn(uevent.devpath())
                            .equals(Optional.of(pci.function().address()))
                    : uevent.devpath().contains("/" + device.id());
        }
    }

    /** Holds a device; waits for who looks at it just now. */
    synchronized void take(Device device) {
        held.put(device.id(), device);
    }

    synchronized void report(Device device, String problem) {
        problems.put(device.id(), new Problem(device, problem, System.nanoTime()));
    }

    synchronized void release(Device device, Optional<String> problem) {
        held.remove(device.id());
        problems.remove(device.id());
        problem.ifPresent(text -> report(device, text));
    }

    /** Looks at a function, unless a device of it is held. */
    synchronized void unlessHeld(PciAddress address, Runnable look) {
        if (!isHeld(address)) {
            look.run();
        }
    }

    synchronized boolean isHeld(PciAddress address) {
        return held.values().stream()
                .anyMatch(device -> device instanceof PciDevice pci
                        && pci.function().address().equals(address));
    }

    synchronized boolean isHeld(Device device) {
        return held.containsKey(device.id());
    }

    /** What was found, but each device that is held as it was before. */
    synchronized List<Device> keep(List<Device> before, List<Device> found) {
        Map<String, Device> kept = new LinkedHashMap<>();
        found.forEach(device -> kept.put(device.id(), device));
        before.stream()
                .filter(device -> held.containsKey(device.id()))
                .forEach(device -> kept.put(device.id(), device));
        return List.copyOf(kept.values());
    }

    /** The devices, each with what its preparation says against it. */
    synchronized List<Device> judged(List<Device> devices) {
        return problems.isEmpty() ? devices : devices.stream().map(this::judged).toList();
    }

    private Device judged(Device device) {
        Problem problem = problems.get(device.id());
        return problem == null ? device : device.withHealth(Health.unhealthy(problem.text()));
    }

    /** A device that could not be prepared gets another chance once it is heard of again. */
    synchronized void heard(Uevent uevent) {
        long now = System.nanoTime();
        problems.values()
                .removeIf(problem -> !held.containsKey(problem.device().id())
                        && problem.isNamedBy(uevent)
                        && now - problem.since() > ECHO.toNanos());
    }
}
