package io.edgeplug.supply;

import io.edgeplug.flow.Deadline;
import io.edgeplug.flow.Latest;
import io.edgeplug.flow.Threads;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.pods.KubeletPods;
import io.edgeplug.rules.DeviceClass;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.logging.Logger;

/**
 * Follows which containers hold which devices, on a thread of its own. A released device is scrubbed or returns to its
 * host driver, and leaves the list if it is gone. A device that was not prepared for its container is reported.
 */
public final class Releases implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Releases.class.getName());

    /** How long traces of a killed preparation by hand may go unnoticed. */
    private static final Duration SLOW_LOOK = Duration.ofSeconds(60);

    /** How often to look and ask while a device waits for its release, if the Pods API reports the ends of pods. */
    private static final Duration MISSING_LOOK = Duration.ofSeconds(10);

    /** The same if the kubelet must be asked, which answers all clients of a node only 100 times a second. */
    private static final Duration ASKING_LOOK = Duration.ofSeconds(2);

    /** How often to look for the last processes of a pod that shows signs of its end. */
    private static final Duration ENDING_LOOK = Duration.ofMillis(500);

    /** How long to do so, because a pod that was reported to end may also go on. */
    private static final Duration ENDS_WITHIN = Duration.ofSeconds(30);

    /** How long to wait after a change of the kubelet's notes. A kubelet that starts writes them for each resource. */
    private static final Duration BURST = Duration.ofMillis(100);

    /** How long a start waits for the inventory, which takes a few milliseconds. */
    private static final Duration JUDGED_WITHIN = Duration.ofSeconds(1);

    private final KubeletPods pods;
    private final Supplies supplies;
    private final Monitor monitor;
    private final Preparations preparations;
    private final UnpreparedStarts unprepared;
    private final HolderLog log;
    private final Latest<Long> notes;
    private final BooleanSupplier areRegistered;
    private final Lock looking = new ReentrantLock();

    /** Guarded by {@link #looking}. Others then note the holders, and those of here are old. */
    private boolean isClosed;

    private final Thread thread;

    /** Whether a change of the inventory may make a device wait for its release. */
    private volatile boolean followsInventory;

    /** One object, so that it can be removed again. */
    private final Runnable inventoryListener = this::inventoryChanged;

    private final Runnable preparationListener = this::lookSoon;

    /** The earliest time for the next question to pod-resources. */
    private Deadline nextAsk = Deadline.in(Duration.ZERO);

    /** Until when to look often for the end of a pod. */
    private Optional<Deadline> ending = Optional.empty();

    private Releases(
            KubeletPods pods,
            Supplies supplies,
            Preparations preparations,
            BooleanSupplier areRegistered,
            Latest<Long> notes) {
        this.pods = pods;
        this.supplies = supplies;
        this.monitor = supplies.monitor();
        this.preparations = preparations;
        this.areRegistered = areRegistered;
        this.notes = notes;
        this.unprepared = new UnpreparedStarts(pods.kubeletDir(), pods.directories(), monitor, preparations.starts());
        this.log = new HolderLog(pods);
        this.thread = Thread.ofVirtual().name("releases").unstarted(this::follow);
    }

    /**
     * Follows the pods of a kubelet, from {@link #start} on.
     *
     * @param areRegistered whether the kubelet knows now for which resources it must ask for preparations
     * @param notes counts possible changes of what the kubelet reports about its pods
     */
    public static Releases of(
            KubeletPods pods,
            Supplies supplies,
            Preparations preparations,
            BooleanSupplier areRegistered,
            Latest<Long> notes) {
        Releases releases = new Releases(pods, supplies, preparations, areRegistered, notes);
        preparations.users().use(pods, supplies.classes());
        if (preparations.users().areTracked()) {
            // If nothing else is known, the last user of a device counts as its holder.
            Optional<HeldDevices> held = releases.look(true);
            if (held.isEmpty()) {
                releases.noteHolders(held);
            }
            boolean ignored = preparations.released().look(held);
            releases.awaitUses();
        } else if (pods.haveClaims() || supplies.monitor().current().sharesIommuGroups()) {
            // This comes before the first pod can ask for a group of which a running one has a member, or for a claimed
            // device.
            boolean ignored = releases.learnHolders();
            releases.awaitUses();
        }
        return releases;
    }

    /** Waits, so that the first lists do not offer devices that the next ones withdraw. */
    private void awaitUses() {
        try {
            monitor.awaitUses(JUDGED_WITHIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Follows devices of these classes from now on, before the first pod can ask for a device of a running pod. */
    public void use(List<DeviceClass> classes) {
        preparations.users().use(pods, classes);
        if (preparations.users().areTracked()) {
            boolean ignored = learnHolders();
        }
    }

    public void start() {
        preparations.addListener(preparationListener);
        monitor.addListener(inventoryListener);
        thread.start();
    }

    private void inventoryChanged() {
        if (followsInventory) {
            lookSoon();
        }
    }

    /** Requests a look soon, as after a change of the kubelet's notes. */
    public void lookSoon() {
        Long ignored = notes.change(count -> count + 1);
    }

    private void follow() {
        try {
            boolean isKnown = false;
            while (true) {
                long read = notes.get();
                preparations.recoverAgain();
                boolean isMissing = !monitor.missing().isEmpty() || monitor.blocksGroupMates();
                boolean isTracked = preparations.users().areTracked();
                boolean isClaimed = pods.haveClaims() || monitor.haveClaims();
                Optional<HeldDevices> held = look(isMissing || isTracked || isClaimed || !isKnown);
                isKnown |= held.isPresent();
                boolean isAnyRebound = preparations.giveBackDrivers(pods.kubeletDir(), pods::heldForSure);
                boolean isUsed = isTracked && preparations.released().look(held);
                supplies.tellAgain(monitor.unnoted());
                boolean isAllocating = monitor.isAllocating();
                held.ifPresent(all -> log.follow(all.all(supplies::has)));
                boolean isUnsettled =
                        preparations.areOfDaemon() && unprepared.look(supplies.classes(), areRegistered.getAsBoolean());
                boolean isWaiting = isMissing || isUsed || isAnyRebound || pods.areDoubtful();
                boolean isEnding = isEnding();
                ask(isWaiting, isEnding);
                followsInventory = !isMissing
                        && held.stream()
                                .flatMap(all -> all.all(supplies::has))
                                .findAny()
                                .isPresent();
                Duration pause = preparations.released().sooner(pause(isWaiting, isEnding, isUnsettled, isAllocating));
                Long ignored = notes.awaitNewerThan(read, pause);
                ignored = notes.awaitNewerThan(Long.MAX_VALUE, BURST);
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer following what containers hold");
        }
    }

    private void ask(boolean isWaiting, boolean isEnding) {
        // The Pods API reports that a pod is gone. That its containers have ended is certain only once the kubelet does
        // not list it.
        if ((isEnding && pods.areDoubtful()) || (isWaiting && nextAsk.isOver())) {
            nextAsk = Deadline.in(pods.areTold() ? MISSING_LOOK : ASKING_LOOK);
            pods.ask();
        }
    }

    /** Whether a pod has recently shown signs of its end. */
    private boolean isEnding() {
        ending = pods.areEnding() ? ending.or(() -> Optional.of(Deadline.in(ENDS_WITHIN))) : Optional.empty();
        return ending.filter(end -> !end.isOver()).isPresent();
    }

    private Duration pause(boolean isWaiting, boolean isEnding, boolean isUnsettled, boolean isAllocating) {
        if (isEnding) {
            return ENDING_LOOK;
        }
        if (isAllocating) {
            return ASKING_LOOK;
        }
        if (isWaiting) {
            return nextAsk.wakeUp();
        }
        return isUnsettled ? MISSING_LOOK : SLOW_LOOK;
    }

    /**
     * Reads which containers hold which devices, and has the inventory know it.
     *
     * @return whether the kubelet's notes could be read. If not, every device that was handed over may be held.
     */
    public boolean learnHolders() {
        return look(true).isPresent();
    }

    /** Reads what is held, and notes it in the same step, so that no older reading is noted after a newer one. */
    private Optional<HeldDevices> look(boolean isNoted) {
        looking.lock();
        try {
            if (isClosed) {
                return Optional.empty();
            }
            Optional<HeldDevices> held = Optional.of(pods.look());
            if (isNoted) {
                noteHolders(held);
            }
            return held;
        } catch (IOException e) {
            LOG.fine(() -> "not known what containers hold: " + e.getMessage());
            return Optional.empty();
        } finally {
            looking.unlock();
        }
    }

    private void noteHolders(Optional<HeldDevices> held) {
        monitor.noteHolders(
                preparations.users().holders(held),
                held.map(HeldDevices::written).orElse(Instant.EPOCH));
    }

    @Override
    public void close() {
        looking.lock();
        try {
            isClosed = true;
        } finally {
            looking.unlock();
        }
        preparations.removeListener(preparationListener);
        monitor.removeListener(inventoryListener);
        Threads.end(thread);
        unprepared.close();
    }
}
