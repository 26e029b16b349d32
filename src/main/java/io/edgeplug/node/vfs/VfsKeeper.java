package io.edgeplug.node.vfs;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PciFunction;
import io.edgeplug.model.device.PfPart;
import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.flow.Backoff;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Follower;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Latest;
import io.edgeplug.system.systemd.Journal;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Makes the VFs of PFs that appear while the daemon runs, because they are plugged in or their driver is loaded again.
 * It does so once for each appearance, and after a failure again with growing pauses.
 *
 * <p>It has a thread of its own, which may wait minutes for an adapter. It does not revert changes that somebody makes
 * by hand.
 */
public final class VfsKeeper implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(VfsKeeper.class.getName());
    private static final Duration FIRST_RETRY = Duration.ofSeconds(5);
    private static final Duration LONGEST_RETRY = Duration.ofMinutes(5);

    private final VfsDeadlines deadlines;
    private final Supplier<? extends Collection<Device>> devices;

    /** The newest number wakes the thread. */
    private final Latest<Wish> wishes;

    /** Null until an entry wants VFs, because a node without entries does not need the thread. Guarded by this. */
    private @Nullable Follower thread;

    // The fields below belong to the thread.
    private List<WantedVfs> entries = List.of();
    private final Map<PciAddress, Appearance> known = new HashMap<>();
    private final Map<PciAddress, Retry> retries = new HashMap<>();

    /**
     * The state of a PF that can make VFs.
     *
     * @param interfaceIndex differs for each interface that the kernel makes, so a PF that went and came back unnoticed
     *     is recognized; the one that was last seen with this driver, because it cannot be read while udev renames the
     *     interface; empty if none was
     */
    private record Appearance(String driver, Optional<String> interfaceIndex) {

        Appearance after(@Nullable Appearance before) {
            return interfaceIndex.isEmpty() && before != null && before.driver.equals(driver) ? before : this;
        }

        boolean isMoreThan(Appearance before) {
            return !driver.equals(before.driver)
                    || (interfaceIndex.isPresent() && !interfaceIndex.equals(before.interfaceIndex));
        }
    }

    /** A PF whose VFs are not as wanted, with the reason. */
    private record Retry(String problem, Backoff backoff) {}

    /** The wanted VFs, and the node. */
    private record Wish(long number, NodeVfs node, List<WantedVfs> entries) {}

    private VfsKeeper(NodeVfs node, Supplier<? extends Collection<Device>> devices, VfsDeadlines deadlines) {
        this.wishes = new Latest<>(new Wish(0, node, List.of()), Wish::number);
        this.deadlines = deadlines;
        this.devices = devices;
    }

    /**
     * Starts with the present PFs.
     *
     * @param devices the node's devices now; asked for after each {@link #wake}
     */
    public static VfsKeeper start(
            NodeVfs node,
            List<WantedVfs> entries,
            Supplier<? extends Collection<Device>> devices,
            VfsDeadlines deadlines) {
        VfsKeeper keeper = new VfsKeeper(node, devices, deadlines);
        keeper.use(node, entries);
        return keeper;
    }

    /** Makes it look at the devices again. Returns at once. */
    public void wake() {
        Wish ignored = wishes.change(wish -> new Wish(wish.number() + 1, wish.node(), wish.entries()));
    }

    /**
     * Makes all PFs as these entries want them.
     *
     * @param kubelet the directories of the node's kubelet, which may be others than before
     */
    public void use(NodeVfs.Kubelet kubelet, List<WantedVfs> newest) {
        use(wishes.get().node().with(kubelet), newest);
    }

    private synchronized void use(NodeVfs node, List<WantedVfs> newest) {
        Wish ignored = wishes.change(wish -> new Wish(wish.number() + 1, node, List.copyOf(newest)));
        if (!newest.isEmpty() && thread == null) {
            thread = wishes.follow(Front.VFS.platform("vfs"), Duration.ZERO, this::keep);
        }
    }

    /** Returns how long to wait if nothing changes. */
    private Duration keep(Wish wish) throws InterruptedException {
        if (!wish.entries().equals(entries)) {
            entries = wish.entries();
            known.clear();
            retries.clear();
        }
        if (!Front.VFS.attempt(() -> follow(wish))) {
            // Otherwise the bug would come again at once.
            retries.values().forEach(retry -> retry.backoff().failed());
        }
        return retries.values().stream()
                .map(retry -> retry.backoff().due().map(Deadline::wakeUp).orElse(Duration.ZERO))
                .min(Duration::compareTo)
                .orElse(Latest.FOREVER);
    }

    private void follow(Wish wish) throws InterruptedException {
        Set<PciAddress> due = appeared(wish);
        retries.forEach((pf, retry) -> {
            if (retry.backoff().isDue()) {
                due.add(pf);
            }
        });
        if (!due.isEmpty() && !Front.VFS.attempt(() -> make(wish, due))) {
            due.forEach(pf -> failed(pf, "a bug in edgeplug has ended the work"));
        }
    }

    /** The PFs of entries whose state differs from the last look. */
    private Set<PciAddress> appeared(Wish wish) {
        List<WantedVfs> wanted = wish.entries();
        Map<PciAddress, Appearance> now = new HashMap<>();
        for (Device device : wanted.isEmpty() ? List.<Device>of() : devices.get()) {
            if (device instanceof PciDevice pci
                    && !(device instanceof PfPart)
                    && pci.driver().isPresent()
                    && !device.health().isGone()
                    && wanted.stream().anyMatch(one -> one.takes(pci))) {
                PciFunction function = pci.function();
                Appearance appearance = new Appearance(
                        function.driver().orElseThrow(),
                        interfaceIndex(wish.node().sysfs(), function));
                now.put(function.address(), appearance.after(known.get(function.address())));
            }
        }
        Set<PciAddress> appeared = new HashSet<>();
        now.forEach((pf, appearance) -> {
            if (Optional.ofNullable(known.get(pf)).map(appearance::isMoreThan).orElse(true)) {
                appeared.add(pf);
            }
        });
        known.clear();
        known.putAll(now);
        retries.keySet().retainAll(now.keySet());
        return appeared;
    }

    private static Optional<String> interfaceIndex(Sysfs sysfs, PciFunction pf) {
        Optional<String> net = pf.netNames().stream().findFirst();
        try {
            return net.isEmpty() ? net : sysfs.read("sys/class/net/" + net.orElseThrow() + "/ifindex");
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private void make(Wish wish, Set<PciAddress> due) throws InterruptedException {
        try {
            List<VfsApply.Outcome> outcomes =
                    new VfsApply(wish.node(), deadlines, VfsKeeper::log).apply(wish.entries(), due::contains);
            Set<PciAddress> gone = new HashSet<>(due);
            for (VfsApply.Outcome outcome : outcomes) {
                PciAddress pf = outcome.plan().pf().address();
                gone.remove(pf);
                if (outcome.isGood()) {
                    retries.remove(pf);
                    if (!outcome.plan().steps().isEmpty()) {
                        log(Level.INFO, pf, "VFs are as wanted");
                    }
                } else {
                    failed(pf, outcome.text());
                }
            }
            gone.forEach(retries::remove);
        } catch (IOException e) {
            due.forEach(pf -> failed(pf, String.valueOf(e.getMessage())));
        }
    }

    /** Each reason is logged once, however often it is tried. */
    private void failed(PciAddress pf, String problem) {
        Optional<Retry> before = Optional.ofNullable(retries.get(pf));
        Backoff backoff = before.map(Retry::backoff).orElseGet(() -> new Backoff(FIRST_RETRY, LONGEST_RETRY));
        backoff.failed();
        retries.put(pf, new Retry(problem, backoff));
        if (!before.map(Retry::problem).equals(Optional.of(problem))) {
            log(Level.WARNING, pf, "VFs are not as wanted: " + problem);
        }
    }

    private static void log(VfsApply.Event event) {
        switch (event) {
            case VfsApply.Event.StepDone done ->
                log(
                        Level.FINE,
                        done.pf(),
                        done.step().line() + ", " + done.took().toMillis() + " ms");
            case VfsApply.Event.Waiting waiting ->
                log(
                        Level.INFO,
                        waiting.pf(),
                        waiting.step().line() + " takes " + waiting.since().toSeconds() + " s so far");
        }
    }

    private static void log(Level level, PciAddress pf, String text) {
        LOG.log(level, pf + ": " + text, Journal.device(pf.toString()));
    }

    /** Work in the kernel goes on after this. */
    @Override
    public synchronized void close() {
        if (thread != null) {
            thread.close();
        }
    }
}
