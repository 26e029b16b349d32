package io.edgeplug.supply;

import io.edgeplug.flow.Deadline;
import io.edgeplug.flow.Latest;
import io.edgeplug.flow.Threads;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.pods.KubeletPods;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.logging.Logger;

/**
 * Follows which containers hold which devices, on a thread of its own. A device that is released returns to its host driver,
 * and leaves the list if it has gone. A device that a container has without its being prepared is reported.
 */
public final class Releases implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Releases.class.getName());

    /** How long the traces of a killed preparation by hand may go unnoticed. */
    private static final Duration SLOW_LOOK = Duration.ofSeconds(60);

    /** How often is looked and asked while something waits for a release, and the kubelet tells when a pod is gone. */
    private static final Duration MISSING_LOOK = Duration.ofSeconds(10);

    /** The same where the kubelet must be asked, which all clients of the node share 100 times a second. */
    private static final Duration ASKING_LOOK = Duration.ofSeconds(2);

    /** How often is looked whether the last processes of a pod have ended of which the kubelet says that it is gone. */
    private static final Duration ENDING_LOOK = Duration.ofMillis(500);

    /** How long so: a pod may also be told to be gone and go on. */
    private static final Duration ENDS_WITHIN = Duration.ofSeconds(30);

    /** How long the kubelet's notes are left alone once they have changed: one that starts writes them for each resource. */
    private static final Duration BURST = Duration.ofMillis(100);

    private final KubeletPods pods;
    private final Supplies supplies;
    private final Monitor monitor;
    private final Preparations preparations;
    private final UnpreparedStarts unprepared;
    private final HolderLog log;
    private final Latest<Long> notes;
    private final BooleanSupplier areRegistered;
    private final Thread thread;

    /** Whether a change of the inventory may have a device wait for its release that did not before. */
    private volatile boolean followsInventory;

    /** One object, to be removed again. */
    private final Runnable inventoryListener = this::inventoryChanged;

    private final Runnable preparationListener = this::lookSoon;

    /** When pod-resources may be asked again for what was released. */
    private Deadline nextAsk = Deadline.in(Duration.ZERO);

    /** Until when the end of what is ending is looked for often. */
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
     * @param areRegistered whether the kubelet knows now whose devices it must have prepared
     * @param notes how often what the kubelet tells of its pods may have changed
     */
    public static Releases of(
            KubeletPods pods,
            Supplies supplies,
            Preparations preparations,
            BooleanSupplier areRegistered,
            Latest<Long> notes) {
        Releases releases = new Releases(pods, supplies, preparations, areRegistered, notes);
        if (supplies.monitor().current().sharesIommuGroups()) {
            // before the first pod can ask for a group of which a running one has a member
            boolean ignored = releases.learnHolders();
        }
        return releases;
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

    private void lookSoon() {
        Long ignored = notes.change(count -> count + 1);
    }

    private void follow() {
        try {
            boolean isKnown = false;
            while (true) {
                long read = notes.get();
                preparations.recoverAgain();
                Optional<HeldDevices> held = look();
                boolean isRebound = preparations.giveBackDrivers(pods.kubeletDir(), pods::held);
                boolean isMissing = !monitor.missing().isEmpty() || monitor.blocksGroupMates();
                if (isMissing || !isKnown) {
                    held.ifPresent(this::noteHolders);
                    isKnown |= held.isPresent();
                }
                boolean isUnnamed =
                        held.isPresent() && log.follow(held.orElseThrow().all(supplies::has));
                boolean isUnsettled =
                        preparations.areOfDaemon() && unprepared.look(supplies.classes(), areRegistered.getAsBoolean());
                boolean isWaiting = isMissing || isRebound || pods.areDoubtful();
                ask(isWaiting, isUnnamed);
                followsInventory = !isMissing
                        && held.stream()
                                .flatMap(all -> all.all(supplies::has))
                                .findAny()
                                .isPresent();
                Long ignored = notes.awaitNewerThan(read, pause(isWaiting, isUnsettled));
                ignored = notes.awaitNewerThan(Long.MAX_VALUE, BURST);
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer following what containers hold");
        }
    }

    private void ask(boolean isWaiting, boolean isUnnamed) {
        if ((isWaiting && nextAsk.isOver()) || isUnnamed) {
            // that a pod is gone is told, and that its containers have ended is not
            nextAsk = Deadline.in(pods.areTold() ? MISSING_LOOK : ASKING_LOOK);
            pods.ask();
        }
    }

    private Duration pause(boolean isWaiting, boolean isUnsettled) {
        ending = pods.areEnding() ? ending.or(() -> Optional.of(Deadline.in(ENDS_WITHIN))) : Optional.empty();
        if (ending.filter(end -> !end.isOver()).isPresent()) {
            return ENDING_LOOK;
        }
        if (isWaiting) {
            return nextAsk.wakeUp();
        }
        return isUnsettled ? MISSING_LOOK : SLOW_LOOK;
    }

    /** Whether the kubelet's notes could be read; as long as they cannot, every device that was handed over may be held. */
    public boolean learnHolders() {
        Optional<HeldDevices> held = look();
        held.ifPresent(this::noteHolders);
        return held.isPresent();
    }

    private Optional<HeldDevices> look() {
        try {
            return Optional.of(pods.look());
        } catch (IOException e) {
            LOG.fine(() -> "not known what containers hold: " + e.getMessage());
            return Optional.empty();
        }
    }

    private void noteHolders(HeldDevices held) {
        monitor.noteHolders(device -> held.of(device).map(Holding::pod));
    }

    @Override
    public void close() {
        preparations.removeListener(preparationListener);
        monitor.removeListener(inventoryListener);
        Threads.end(thread);
        unprepared.close();
    }
}
