package io.edgeplug.node.inventory;

import io.edgeplug.model.device.PciAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * PFs that still report VFs after their last VF has gone.
 *
 * <p>The kernel sleeps for a second after the last VF before {@code sriov_numvfs} is 0, and then sends no uevent; see
 * {@code sriov_disable} in its drivers/pci/iov.c. One thread at a time; times are {@link System#nanoTime}.
 */
final class PfsWithoutVfs {

    private static final long EVERY = Duration.ofMillis(500).toNanos();

    /** After a VF was removed by its own {@code remove}, the number stays as it is, so the wait must end. */
    private static final long LONGEST = Duration.ofSeconds(10).toNanos();

    private static final long FAR = Duration.ofDays(1).toNanos();

    private final Map<PciAddress, Long> since = new HashMap<>();
    private long next;

    /** Adds PFs that have lost a VF. {@link #keep} forgets those that still have others. */
    void add(Set<PciAddress> pfs, long now) {
        if (since.isEmpty()) {
            next = now + EVERY;
        }
        pfs.forEach(pf -> since.put(pf, now));
    }

    /** When the next PF must be scanned; far away if there is none. */
    long next(long now) {
        return since.isEmpty() ? now + FAR : next;
    }

    /** The PFs that must be scanned now. */
    List<PciAddress> due(long now) {
        if (next(now) - now > 0) {
            return List.of();
        }
        next = now + EVERY;
        return List.copyOf(since.keySet());
    }

    /** Forgets the PFs that are no longer without VFs, or have been so for too long. */
    void keep(Predicate<PciAddress> isWithoutVfs, long now) {
        since.entrySet().removeIf(entry -> now - entry.getValue() > LONGEST || !isWithoutVfs.test(entry.getKey()));
    }
}
