package io.edgeplug.inventory;

import io.edgeplug.device.Health;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.VirtualFunction;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.scan.ChangeNote;
import io.edgeplug.scan.DeviceScan;
import io.edgeplug.scan.FunctionScan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SequencedSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The devices at PCI functions, as the looks so far have found them; one thread at a time.
 *
 * <p>The look at one function is the unit, and the scan of all is that look at each function that is there.
 */
final class FunctionDevices {

    private final ScanThread thread;
    private final Sysfs sysfs;
    private final DevicesInPreparation inPreparation;

    /** By address; a function may be several devices. */
    private final List<PciDevice> found = new ArrayList<>();

    /** The functions that the scan of everything has not come to. */
    private final SequencedSet<PciAddress> left = new LinkedHashSet<>();

    /** PFs of which a VF has gone since {@link #followPfs} was called last. */
    private final Set<PciAddress> lostVfs = new HashSet<>();

    private final PfsWithoutVfs withoutVfs = new PfsWithoutVfs();

    /** Those in preparation stay as they were. */
    FunctionDevices(ScanThread thread, DevicesInPreparation inPreparation) {
        this.thread = thread;
        this.sysfs = thread.sysfs();
        this.inPreparation = inPreparation;
    }

    /** By address. */
    List<PciDevice> devices() {
        return Collections.unmodifiableList(found);
    }

    /** Those at one function. */
    List<PciDevice> at(PciAddress address) {
        return List.copyOf(known(address));
    }

    /** Begins to look at all of these; what is not among them is gone. */
    void begin(Collection<PciAddress> present) {
        Set<PciAddress> all = new HashSet<>(present);
        found.stream()
                .map(device -> device.function().address())
                .filter(address -> !all.contains(address) && !inPreparation.contains(address))
                .distinct()
                .toList()
                .forEach(address -> put(address, List.of()));
        // what the scan before has not come to is looked at first, however often a new one begins
        left.retainAll(all);
        left.addAll(present);
    }

    /** Whether functions are left to look at. */
    boolean hasMore() {
        return !left.isEmpty();
    }

    /** Looks at functions that are left, one at least and then as long as it is to go on. */
    void scanMore(DeviceScan scan, BooleanSupplier goesOn) {
        boolean goes = hasMore();
        while (goes) {
            scanOne(scan, left.getFirst());
            goes = hasMore() && goesOn.getAsBoolean();
        }
    }

    /** Looks at a function, and at the VFs of a PF, which are known by its names. */
    void scan(DeviceScan scan, PciAddress address) {
        boolean wasVf = isVf(address);
        scanOne(scan, address);
        // a VF has none of its own, and to look for them takes longer the more devices there are
        if (!wasVf && !isVf(address)) {
            vfs(address).forEach(vf -> scanOne(scan, vf));
        }
    }

    /** When PFs without VFs are to be looked at again. */
    long next(long now) {
        return withoutVfs.next(now);
    }

    /** The PFs without VFs that are to be looked at again now. */
    List<PciAddress> duePfs(long now) {
        return withoutVfs.due(now);
    }

    /** Follows the PFs that have lost their last VF. Goes through all devices, so after the news is published. */
    void followPfs(long now) {
        withoutVfs.add(lostVfs, now);
        lostVfs.clear();
        withoutVfs.keep(this::isWithoutVfs, now);
    }

    /** Whether a function says that it has VFs, and none of them is there. */
    private boolean isWithoutVfs(PciAddress pf) {
        return known(pf).stream().anyMatch(device -> device.function().virtualFunctions() > 0) && vfs(pf).isEmpty();
    }

    private boolean isVf(PciAddress address) {
        return known(address).stream().anyMatch(VirtualFunction.class::isInstance);
    }

    private List<PciAddress> vfs(PciAddress pf) {
        return found.stream()
                .filter(device -> device instanceof VirtualFunction vf
                        && vf.physicalFunction().equals(pf))
                .map(device -> device.function().address())
                .toList();
    }

    private void scanOne(DeviceScan scan, PciAddress address) {
        inPreparation.unlessInPreparation(address, () -> {
            Optional<ChangeNote> changing = ChangeNote.of(sysfs, address);
            // the kernel tells of a function that another process has changed, once that is done
            if (known(address).isEmpty() || changing.filter(ChangeNote::goesOn).isEmpty()) {
                look(scan, address, changing.filter(note -> !note.goesOn()).map(ChangeNote::problem));
            }
        });
        // at the end: a scan that is begun again, since this look was stuck, has its word on it too
        left.remove(address);
    }

    /** Looks at a function, which may have been left half changed. */
    private void look(DeviceScan scan, PciAddress address, Optional<String> halfChanged) {
        List<PciDevice> known = List.copyOf(known(address));
        List<PciDevice> now;
        try {
            now = read(scan.scan(address), address, known);
        } catch (IOException e) {
            now = unread(address, String.valueOf(e.getMessage()));
        }
        if (halfChanged.isPresent()) {
            now = unhealthy(now, halfChanged.orElseThrow());
        }
        // what is as it was stays the same object, so that nobody looks at it again
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

    private void put(PciAddress address, List<PciDevice> now) {
        List<PciDevice> known = known(address);
        if (now.isEmpty()) {
            thread.forget(address.toString());
            for (PciDevice device : known) {
                if (device instanceof VirtualFunction vf) {
                    lostVfs.add(vf.physicalFunction());
                }
            }
        }
        known.clear();
        known.addAll(now);
    }

    /** The devices of a function, or where they would be: a part of the list of all. */
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
