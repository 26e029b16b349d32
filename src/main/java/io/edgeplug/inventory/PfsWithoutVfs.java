package io.edgeplug.inventory;

import io.edgeplug.device.PciAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * PFs that still say that they have VFs, when none is there any more.
 *
 * <p>Once the last is gone, the kernel sleeps for a second before {@code sriov_numvfs} is 0, and sends no uevent then; see
 * {@code sriov_disable} in its drivers/pci/iov.c. One thread at a time; times are {@link System#nanoTime}.
 */
final class PfsWithoutVfs {

    private static final long EVERY = Duration.ofMillis(500).toNanos();

    /** A VF that was removed by its own {@code remove} leaves a number that stays as it is. */
    private static final long LONGEST = Duration.ofSeconds(10).toNanos();

    private static final long FAR = Duration.ofDays(1).toNanos();

    private final Map<PciAddress, Long> since = new HashMap<>();
    private long next;

    /** These have lost a VF; {@link #keep} forgets those that have others. */
    void add(Set<PciAddress> pfs, long now) {
        if (since.isEmpty()) {
            next = now + EVERY;
        }
        pfs.forEach(pf -> since.put(pf, now));
    }

    /** When one is to be looked at; far away if none is. */
    long next(long now) {
        return since.isEmpty() ? now + FAR : next;
    }

    /** Those that are to be looked at now. */
    List<PciAddress> due(long now) {
        if (next(now) - now > 0) {
            return List.of();
        }
        next = now + EVERY;
        return List.copyOf(since.keySet());
    }

    /** Forgets those of which it is no longer true, or has been for too long. */
    void keep(Predicate<PciAddress> isWithoutVfs, long now) {
        since.entrySet().removeIf(entry -> now - entry.getValue() > LONGEST || !isWithoutVfs.test(entry.getKey()));
    }
}
