package io.edgeplug.node.supply;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.custody.Due;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.pods.KubeletPods;
import io.edgeplug.node.supply.HolderReading.Holders;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Follower;
import io.edgeplug.system.flow.Front;
import io.edgeplug.system.flow.Latest;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Acts on who has which device: it reads that, and has done what is due. A released device is scrubbed or returns to its
 * host driver. A device that was not prepared for its container is reported.
 */
public final class CustodyThread implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(CustodyThread.class.getName());

    /** How long traces of a killed preparation by hand may go unnoticed. */
    private static final Duration SLOW_LOOK = Duration.ofSeconds(60);

    /** How often to look and ask while a device waits for its release, if the Pods API reports the ends of pods. */
    private static final Duration MISSING_LOOK = Duration.ofSeconds(10);

    /** The same if the kubelet must be asked, which answers all clients of a node only 100 times a second. */
    private static final Duration ASKING_LOOK = Duration.ofSeconds(2);

    /** How long to do so, because a pod that was reported to end may also go on. */
    private static final Duration ENDS_WITHIN = Duration.ofSeconds(30);

    /** How long to wait after a change of the kubelet's notes. A kubelet that starts writes them for each resource. */
    private static final Duration BURST = Duration.ofMillis(100);

    /** How long a start waits for the inventory, which takes a few milliseconds. */
    private static final Duration JUDGED_WITHIN = Duration.ofSeconds(1);

    private final KubeletPods pods;
    private final Supplies supplies;
    private final Monitor monitor;
    private final Custodian custodian;
    private final Preparations preparations;
    private final UnpreparedStarts unprepared;
    private final Latest<Long> notes;
    private final BooleanSupplier areRegistered;
    /** Null until the start. */
    private @Nullable Follower follower;

    private volatile boolean isClosed;

    /** Whether a change of the inventory may make a device wait for its release. */
    private volatile boolean followsInventory;

    /** One object, so that it can be removed again. */
    private final Runnable inventoryListener = this::inventoryChanged;

    private final Runnable preparationListener = this::lookSoon;

    /** The earliest time for the next question to pod-resources. */
    private Deadline nextAsk = Deadline.in(Duration.ZERO);

    /** Until when to look often for the end of a pod; null if none is ending. */
    private @Nullable Deadline ending;

    /**
     * Learns who has what on a node, and follows that from {@link #start} on.
     *
     * @param areRegistered whether the kubelet knows now for which resources it must ask for preparations
     * @param notes counts possible changes of what the kubelet reports about its pods
     */
    public CustodyThread(
            KubeletPods pods,
            Supplies supplies,
            Preparations preparations,
            BooleanSupplier areRegistered,
            Latest<Long> notes) {
        this.pods = pods;
        this.supplies = supplies;
        this.monitor = supplies.monitor();
        this.custodian = monitor.custodian();
        this.preparations = preparations;
        this.areRegistered = areRegistered;
        this.notes = notes;
        this.unprepared = new UnpreparedStarts(pods.kubeletDir(), pods.directories(), monitor, preparations.prepared);
        preparations.uses.use(pods.kubeletDir(), supplies.classes());
        preparations.reading.use(pods, supplies::has);
        preparations.interfaces().use(pods::containers);
        // This comes before the first pod can ask for anything.
        boolean ignored = learnHolders();
        awaitJudged();
    }

    /** Waits, so that the first lists do not offer devices that the next ones withdraw. */
    private void awaitJudged() {
        try {
            monitor.awaitJudged(JUDGED_WITHIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Follows devices of these classes from now on, once the inventory has them. */
    public void use(List<DeviceClass> classes) {
        preparations.uses.use(pods.kubeletDir(), classes);
        boolean ignored = learnHolders();
        awaitJudged();
    }

    public void start() {
        preparations.addListener(preparationListener);
        monitor.publication().addListener(inventoryListener);
        follower = notes.follow(Thread.ofVirtual().name("custody"), BURST, count -> turn());
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

    /**
     * Reads who has which devices, and does what is due.
     *
     * @return whether the kubelet's notes could be read. If not, whoever had a device may have it still.
     */
    public boolean learnHolders() {
        return look().isPresent();
    }

    /**
     * Has a claim take devices, unless somebody else has one, and notes that before anybody reads who has what.
     *
     * @param devices the resource of each
     * @param ids of the devices, or of shares
     * @throws IOException if it gets none, or it is not known whether somebody has them; the message is a clause
     */
    public void claim(User.Claim claim, Map<String, String> devices, Set<String> ids, Front.Work<IOException> note)
            throws IOException {
        preparations.reading.claim(claim, devices, ids, note);
        // A mate that was released a moment ago is unhealthy until the inventory follows.
        awaitJudged();
    }

    private Optional<Holders> look() {
        if (isClosed) {
            return Optional.empty();
        }
        preparations.uses.readAgain();
        Optional<Holders> read = read();
        if (read.isPresent() && preparations.areOfDaemon()) {
            preparations.uses.noteUnseen(monitor.current(), read.orElseThrow().held(), pods);
            preparations.nodes.keep();
        }
        return read;
    }

    private Optional<Holders> read() {
        try {
            return Optional.of(preparations.reading.read());
        } catch (IOException e) {
            LOG.fine(() -> "not known what containers hold: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Reads, does what is due, and returns how long to wait for an event. */
    private Duration turn() throws InterruptedException {
        preparations.recoverAgain();
        Optional<Holders> read = look();
        Duration pause = preparations.releases.follow(read.isPresent(), SLOW_LOOK);
        boolean isAnyRebound = read.isPresent() && preparations.releases.returnDrivers(pods.kubeletDir());
        tellAgain();
        preparations.log.follow(pods::wasAskedAbout, supplies::has);
        boolean isUnsettled = preparations.areOfDaemon()
                && unprepared.look(
                        supplies.classes(),
                        areRegistered.getAsBoolean(),
                        read.map(Holders::held).orElse(null));
        List<Custody> all = custodian.all();
        Set<String> missing = monitor.missing().stream().map(Device::id).collect(Collectors.toSet());
        boolean isWaiting = isAnyRebound
                || pods.areDoubtful()
                || all.stream().anyMatch(one -> waitsForRelease(one, missing.contains(one.id())));
        boolean isEnding = isEnding(read.filter(Holders::isAnyEnding).isPresent());
        ask(isWaiting, isEnding);
        followsInventory = all.stream().anyMatch(one -> !one.holds().isEmpty());
        if (isEnding) {
            pause = shorter(pause, Due.ENDING_LOOK);
        } else if (all.stream().anyMatch(Custody::isGiven)) {
            pause = shorter(pause, ASKING_LOOK);
        } else if (isWaiting) {
            pause = shorter(pause, nextAsk.wakeUp());
        }
        return isUnsettled ? shorter(pause, MISSING_LOOK) : pause;
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    /** Whether the end of its user has an effect: on a scrub, on a device that is gone, or on its group's mates. */
    private boolean waitsForRelease(Custody one, boolean isMissing) {
        return one.traces().isPresent()
                || (!one.holds().isEmpty()
                        && (isMissing || monitor.publication().concernsOthers(one)));
    }

    /** Sends lists again after which the kubelet writes its notes, so that it becomes clear who has what. */
    private void tellAgain() {
        long now = System.nanoTime();
        Set<String> resources = new HashSet<>();
        for (Custody one : custodian.all()) {
            Set<String> own = one.unnoted(now);
            resources.addAll(own);
            if (!own.isEmpty()) {
                custodian.tell(one.id(), new Event.ToldAgain(now));
            }
        }
        supplies.tellAgain(resources);
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
    private boolean isEnding(boolean hasLostDevices) {
        if (!hasLostDevices && !pods.areEnding()) {
            ending = null;
        } else if (ending == null) {
            ending = Deadline.in(ENDS_WITHIN);
        }
        return ending != null && !ending.isOver();
    }

    @Override
    public void close() {
        isClosed = true;
        preparations.removeListener(preparationListener);
        monitor.publication().removeListener(inventoryListener);
        if (follower != null) {
            follower.close();
        }
        unprepared.close();
    }
}
