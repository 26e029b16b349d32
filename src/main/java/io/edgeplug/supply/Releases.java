package io.edgeplug.supply;

import io.edgeplug.flow.Latest;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.pods.EndedPods;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.pods.HeldDevices.Holding;
import io.edgeplug.rules.DeviceClass;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.logging.Logger;

/**
 * Follows which containers hold which devices, on a thread of its own: what is released gets its driver back and leaves the
 * list if it has gone, and what a container has without its being prepared is reported.
 */
public final class Releases implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Releases.class.getName());

    /** How long what a preparation by hand has left, that was killed, may go unnoticed. */
    private static final Duration SLOW_LOOK = Duration.ofSeconds(60);

    /** How often the kubelet's notes are read while a device is gone that a container may hold. */
    private static final Duration MISSING_LOOK = Duration.ofSeconds(10);

    /** How long the kubelet's notes are left alone once they have changed: one that starts writes them for each resource. */
    private static final Duration BURST = Duration.ofMillis(100);

    /** A pod that was given devices waits with its start until the node's network is ready. */
    private static final Duration POD_STARTED_WITHIN = Duration.ofMinutes(10);

    private static final Path CGROUPS = Path.of("/sys/fs/cgroup");

    private final Path kubeletDir;
    private final Monitor monitor;
    private final Preparations preparations;
    private final UnpreparedStarts unprepared;
    private final EndedPods ended;
    private final Thread thread;

    private Releases(
            Path kubeletDir,
            Path pods,
            Monitor monitor,
            Preparations preparations,
            Supplier<List<DeviceClass>> classes,
            BooleanSupplier areRegistered,
            Latest<Long> notes) {
        this.kubeletDir = kubeletDir;
        this.monitor = monitor;
        this.preparations = preparations;
        this.unprepared = new UnpreparedStarts(kubeletDir, pods, monitor, preparations.starts());
        this.ended = new EndedPods(pods, CGROUPS, POD_STARTED_WITHIN);
        this.thread = Thread.ofVirtual().name("releases").unstarted(() -> follow(notes, classes, areRegistered));
    }

    /**
     * Follows the pods of a kubelet, from {@link #start} on.
     *
     * @param kubeletDir the kubelet's directory for device plugins, in which it notes who holds what
     * @param pods in which it has a directory for each pod
     * @param areRegistered whether the kubelet knows now whose devices it must have prepared
     * @param notes how often those notes may have changed
     */
    public static Releases of(
            Path kubeletDir,
            Path pods,
            Supplies supplies,
            Preparations preparations,
            BooleanSupplier areRegistered,
            Latest<Long> notes) {
        Releases releases = new Releases(
                kubeletDir, pods, supplies.monitor(), preparations, supplies::classes, areRegistered, notes);
        if (supplies.monitor().current().sharesIommuGroups()) {
            // before the first pod can ask for a group of which a running one has a member
            boolean ignored = releases.learnHolders();
        }
        return releases;
    }

    public void start() {
        thread.start();
    }

    private void follow(Latest<Long> notes, Supplier<List<DeviceClass>> classes, BooleanSupplier areRegistered) {
        try {
            boolean isKnown = false;
            while (true) {
                long read = notes.get();
                preparations.recoverAgain();
                preparations.giveBackDrivers(kubeletDir);
                boolean isWaiting = !monitor.missing().isEmpty() || monitor.blocksGroupMates();
                if (isWaiting || !isKnown) {
                    isKnown |= learnHolders();
                }
                boolean isUnsettled =
                        preparations.areOfDaemon() && unprepared.look(classes.get(), areRegistered.getAsBoolean());
                Long ignored = notes.awaitNewerThan(read, isWaiting || isUnsettled ? MISSING_LOOK : SLOW_LOOK);
                ignored = notes.awaitNewerThan(Long.MAX_VALUE, BURST);
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer following what containers hold");
        }
    }

    /** Whether the kubelet's notes could be read; as long as they cannot, every device that was handed over may be held. */
    public boolean learnHolders() {
        try {
            HeldDevices held = HeldDevices.read(kubeletDir);
            Map<String, Boolean> pods = new ConcurrentHashMap<>();
            monitor.noteHolders(device -> held.of(
                            device, holding -> !pods.computeIfAbsent(holding.pod(), ended::hasEnded))
                    .map(Holding::pod));
            ended.keep(pods.keySet());
            return true;
        } catch (IOException e) {
            LOG.fine(() -> "not known what containers hold: " + e.getMessage());
            return false;
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            boolean ignored = thread.getState() == Thread.State.NEW || thread.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        unprepared.close();
    }
}
