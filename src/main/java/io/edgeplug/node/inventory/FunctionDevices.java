package io.edgeplug.node.inventory;

import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.node.scan.ChangeNote;
import io.edgeplug.node.scan.DeviceScan;
import io.edgeplug.node.scan.FunctionScan;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The devices at PCI functions that the scans so far have found; one thread at a time.
 *
 * <p>The unit is the scan of one function. A full scan does the same for each function that exists.
 */
final class FunctionDevices {

    private static final long EVERY = Duration.ofMillis(500).toNanos();

    /** After a VF was removed by its own {@code remove}, the number stays as it is, so the wait must end. */
    private static final long LONGEST = Duration.ofSeconds(10).toNanos();

    private final ScanThread thread;
    private final Sysfs sysfs;
    private final ScanGate gate;

    /** By address. A function may be several devices. */
    private final List<PciDevice> found = new ArrayList<>();

    /** The functions that the full scan has not reached yet. */
    private final SequencedSet<PciAddress> left = new LinkedHashSet<>();

    /** PFs that have lost a VF since the last {@link #followPfs}. */
    private final Set<PciAddress> lostVfs = new HashSet<>();

    /**
     * By PF that still reports VFs, when it has lost its last one. The kernel sleeps for a second after the last VF
     * before {@code sriov_numvfs} is 0, and then sends no uevent; see {@code sriov_disable} in its drivers/pci/iov.c.
     */
    private final Map<PciAddress, Long> withoutVfs = new HashMap<>();

    private long nextPfs;

    /** Devices in preparation stay as they were. */
    FunctionDevices(ScanThread thread, ScanGate gate) {
        this.thread = thread;
        this.sysfs = thread.sysfs();
        this.gate = gate;
    }

    /** By address. */
    List<PciDevice> devices() {
        return Collections.unmodifiableList(found);
    }

    /** The devices at one function. */
    List<PciDevice> at(PciAddress address) {
        return List.copyOf(known(address));
    }

    /** Begins to scan all of these functions. Functions that are not among them are gone. */
    void begin(Collection<PciAddress> present) {
        Set<PciAddress> all = new HashSet<>(present);
        found.stream()
                .map(device -> device.function().address())
                .filter(address -> !all.contains(address) && !gate.isClosed(address))
                .distinct()
                .toList()
                .forEach(address -> put(address, List.of()));
        // Functions that the previous scan has not reached come first, however often a new scan begins.
        left.retainAll(all);
        left.addAll(present);
    }

    /** Whether the scan has functions left. */
    boolean hasMore() {
        return !left.isEmpty();
    }

    /** Scans functions that are left: at least one, and then for as long as it may go on. */
    void scanMore(DeviceScan scan, BooleanSupplier goesOn) {
        boolean goes = hasMore();
        while (goes) {
            scanOne(scan, left.getFirst());
            goes = hasMore() && goesOn.getAsBoolean();
        }
    }

    /** Scans a function. For a PF, also scans its VFs, because they are known by the PF's names. */
    void scan(DeviceScan scan, PciAddress address) {
        boolean wasVf = isVf(address);
        scanOne(scan, address);
        // A VF has no VFs. Looking for them would take longer the more devices there are.
        if (!wasVf && !isVf(address)) {
            vfs(address).forEach(vf -> scanOne(scan, vf));
        }
    }

    /** The time until PFs without VFs must be scanned again, in nanoseconds. */
    long left(long now) {
        return withoutVfs.isEmpty() ? Long.MAX_VALUE : nextPfs - now;
    }

    /** The PFs without VFs that must be scanned again now. */
    List<PciAddress> duePfs(long now) {
        if (left(now) > 0) {
            return List.of();
        }
        nextPfs = now + EVERY;
        return List.copyOf(withoutVfs.keySet());
    }

    /**
     * Follows the PFs that have lost their last VF. This goes through all devices, so it runs after the news is
     * published.
     */
    void followPfs(long now) {
        if (withoutVfs.isEmpty()) {
            nextPfs = now + EVERY;
        }
        lostVfs.forEach(pf -> withoutVfs.put(pf, now));
        lostVfs.clear();
        withoutVfs.entrySet().removeIf(one -> now - one.getValue() > LONGEST || !isWithoutVfs(one.getKey()));
    }

    /** Whether a function reports VFs, and none of them exists. */
    private boolean isWithoutVfs(PciAddress pf) {
        return known(pf).stream().anyMatch(device -> device.function().virtualFunctions() > 0) && vfs(pf).isEmpty();
    }

    private boolean isVf(PciAddress address) {
        return known(address).stream()
                .anyMatch(device -> device.function().physicalFunction().isPresent());
    }

    private List<PciAddress> vfs(PciAddress pf) {
        return found.stream()
                .filter(device -> device.function().physicalFunction().equals(Optional.of(pf)))
                .map(device -> device.function().address())
                .toList();
    }

    private void scanOne(DeviceScan scan, PciAddress address) {
        gate.unlessClosed(address, () -> {
            Optional<ChangeNote> changing = ChangeNote.of(sysfs, address);
            // The kernel reports a function that another process is changing once that is done.
            if (known(address).isEmpty() || changing.filter(ChangeNote::goesOn).isEmpty()) {
                Optional<ChangeNote> leftOver = changing.filter(note -> !note.goesOn());
                look(scan, address, leftOver.map(ChangeNote::problem).orElse(null));
            }
        });
        // This comes last: if this scan hangs, the scan that starts again must still see the function as left.
        left.remove(address);
    }

    /** Scans a function, which may have been left half changed. */
    private void look(DeviceScan scan, PciAddress address, @Nullable String halfChanged) {
        List<PciDevice> known = List.copyOf(known(address));
        List<PciDevice> now;
        try {
            now = read(scan.scan(address), address, known);
        } catch (IOException e) {
            now = unread(address, String.valueOf(e.getMessage()));
        }
        if (halfChanged != null) {
            now = unhealthy(now, halfChanged);
        }
        // An unchanged device stays the same object, so that no later step works on it again.
        if (!now.equals(known)) {
            put(address, now);
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
            // This is the known state, in case the configuration space can never be read.
            put(address, devices);
        }
        return thread.look(address.toString(), () -> scan.answering(devices));
    }

    /** The known state of a function that exists and cannot be scanned. */
    private List<PciDevice> unread(PciAddress address, String problem) {
        if (!DeviceScan.isThere(sysfs, address)) {
            return List.of();
        }
        List<PciDevice> known = known(address);
        return unhealthy(known.isEmpty() ? List.of(FunctionScan.unread(address)) : known, problem);
    }

    private void put(PciAddress address, List<PciDevice> now) {
        List<PciDevice> known = known(address);
        if (now.isEmpty()) {
            thread.forget(address.toString());
            for (PciDevice device : known) {
                device.function().physicalFunction().ifPresent(lostVfs::add);
            }
        }
        known.clear();
        known.addAll(now);
    }

    /** The devices of a function, or the empty place for them: a part of the list of all. */
    private List<PciDevice> known(PciAddress address) {
        int from = 0;
        int to = found.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (found.get(middle).function().address().compareTo(address) < 0) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        while (to < found.size() && found.get(to).function().address().equals(address)) {
            to++;
        }
        return found.subList(from, to);
    }
}
