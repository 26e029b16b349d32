package io.edgeplug.supply;

import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.prepare.Preparer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Returns functions to their host driver once no container holds them. Functions that are scrubbed after a pod return
 * with the scrub. Thread-safe.
 */
public final class HostDriverReturn {

    private static final Logger LOG = Logger.getLogger(HostDriverReturn.class.getName());

    private final Monitor monitor;
    private final Preparer preparer;
    private final DeviceUsers users;

    HostDriverReturn(Monitor monitor, Preparer preparer, DeviceUsers users) {
        this.monitor = monitor;
        this.preparer = preparer;
        this.users = users;
    }

    /** Reads what pods of a kubelet hold now. */
    public interface HeldReading {
        /**
         * Reads it.
         *
         * @throws IOException if it is not known; then every device may be held
         */
        HeldDevices read() throws IOException;
    }

    /** See {@link Preparations#giveBackDrivers}. */
    boolean giveBack(Path kubeletDir, HeldReading reading) {
        try {
            List<PciAddress> rebound = preparer.rebound(kubeletDir);
            if (rebound.isEmpty()) {
                return false;
            }
            HeldDevices held = reading.read();
            List<PciDevice> waiting = monitor.current().devices().stream()
                    .flatMap(device -> device instanceof PciDevice pci ? Stream.of(pci) : Stream.empty())
                    .filter(device -> rebound.contains(device.function().address()))
                    .toList();
            waiting.stream()
                    .filter(device -> held.of(device).isEmpty())
                    .forEach(device -> preparer.giveBackDriver(device, () -> checkFree(kubeletDir, reading, device)));
            return waiting.stream().anyMatch(device -> held.of(device).isPresent());
        } catch (IOException e) {
            LOG.fine(() -> "drivers stay as they are: " + e.getMessage());
            return false;
        }
    }

    /** The kubelet notes a device before its container starts. From then on, only the recipe binds drivers. */
    private void checkFree(Path kubeletDir, HeldReading reading, PciDevice device) throws IOException {
        if (!preparer.rebound(kubeletDir).contains(device.function().address())) {
            throw new IOException("has been bound for another kubelet");
        }
        if (users.find(device).isPresent()) {
            throw new IOException("must be scrubbed first");
        }
        if (reading.read().of(device).isPresent()) {
            throw new IOException("is held");
        }
    }
}
