package io.edgeplug.vfs;

import io.edgeplug.device.Device;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PciFunction;
import io.edgeplug.device.PfPart;
import io.edgeplug.flow.Backoff;
import io.edgeplug.flow.Deadline;
import io.edgeplug.linux.Journal;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.rules.WantedVfs;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

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
    private final Thread thread;
    private final Lock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();

    // The fields below are guarded by the lock.
    private NodeVfs node;
    private List<WantedVfs> entries = List.of();
    private boolean isStale = true;
    private boolean isToForget;

    // The fields below belong to the thread.
    private final Map<PciAddress, Appearance> known = new HashMap<>();
    private final Map<PciAddress, Retry> retries = new HashMap<>();

    /**
     * The state of a PF that can make VFs.
     *
     * @param interfaceIndex differs for each interface that the kernel makes, so a PF that went and came back unnoticed
     *     is recognized
     */
    private record Appearance(String driver, Optional<String> interfaceIndex) {

        boolean isMoreThan(Appearance before) {
            return !driver.equals(before.driver)
                    || (interfaceIndex.isPresent() && !interfaceIndex.equals(before.interfaceIndex));
        }
    }

    /** A PF whose VFs are not as wanted, with the reason. */
    private record Retry(String problem, Backoff backoff) {}

    /** The wanted VFs, and the node. */
    private record Wish(NodeVfs node, List<WantedVfs> entries) {}

    private VfsKeeper(NodeVfs node, Supplier<? extends Collection<Device>> devices, VfsDeadlines deadlines) {
        this.node = node;
        this.deadlines = deadlines;
        this.devices = devices;
        this.thread = Thread.ofPlatform().name("vfs").daemon().unstarted(this::keep);
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
        change(() -> isStale = true);
    }

    /**
     * Makes all PFs as these entries want them.
     *
     * @param sameNode the node, whose kubelet may have other directories than before
     */
    public void use(NodeVfs sameNode, List<WantedVfs> newest) {
        change(() -> {
            node = sameNode;
            isToForget |= !entries.equals(newest);
            entries = List.copyOf(newest);
            isStale = true;
            // A node without entries does not need the thread.
            if (!entries.isEmpty() && thread.getState() == Thread.State.NEW) {
                thread.start();
            }
        });
    }

    private void change(Runnable change) {
        lock.lock();
        try {
            change.run();
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    private void keep() {
        try {
            while (true) {
                Wish wish = awaitNews();
                Set<PciAddress> due = appeared(wish);
                retries.forEach((pf, retry) -> {
                    if (retry.backoff().isDue()) {
                        due.add(pf);
                    }
                });
                if (!due.isEmpty()) {
                    make(wish, due);
                }
            }
        } catch (InterruptedException e) {
            // The daemon ends.
            Thread.currentThread().interrupt();
        }
    }

    private Wish awaitNews() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!isStale) {
                Optional<Duration> left = retries.values().stream()
                        .map(retry ->
                                retry.backoff().due().map(Deadline::wakeUp).orElse(Duration.ZERO))
                        .min(Duration::compareTo);
                if (left.isEmpty()) {
                    news.await();
                } else if (left.orElseThrow().isPositive()) {
                    boolean unusedInTime = news.await(left.orElseThrow().toNanos(), TimeUnit.NANOSECONDS);
                } else {
                    break;
                }
            }
            isStale = false;
            if (isToForget) {
                isToForget = false;
                known.clear();
                retries.clear();
            }
            return new Wish(node, entries);
        } finally {
            lock.unlock();
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
                now.put(
                        function.address(),
                        new Appearance(
                                function.driver().orElseThrow(),
                                interfaceIndex(wish.node().sysfs(), function)));
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
            return net.isEmpty()
                    ? Optional.empty()
                    : Optional.of(sysfs.read("sys/class/net/" + net.orElseThrow() + "/ifindex")
                            .orElse("unknown"));
        } catch (IOException e) {
            return Optional.of("unknown");
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

    private static void log(VfsEvent event) {
        switch (event) {
            case VfsEvent.StepDone done ->
                log(
                        Level.FINE,
                        done.pf(),
                        done.step().line() + ", " + done.took().toMillis() + " ms");
            case VfsEvent.Waiting waiting ->
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
    public void close() {
        if (!thread.isAlive()) {
            return;
        }
        thread.interrupt();
        try {
            boolean unusedInTime = thread.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
