package io.edgeplug.node.supply;

import io.edgeplug.model.device.Device;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.prepare.Interfaces;
import io.edgeplug.node.prepare.PrepareEvent;
import io.edgeplug.node.prepare.PreparedStarts;
import io.edgeplug.node.prepare.Preparer;
import io.edgeplug.node.supply.StepTimes.StepTime;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What prepares devices for containers and releases them, and knows who has them. It outlives the plugins that use it,
 * because a preparation goes on while the kubelet restarts.
 */
public final class Preparations implements AutoCloseable {

    private final Preparer preparer;
    private final DeviceWork work;
    private final Failures failures;

    /** The notes of devices that are not scrubbed yet. */
    final Uses uses;

    /** The notes of the device nodes that pods were given. */
    final GivenNodes nodes;

    final HolderReading reading;
    final Releases releases;
    final Starts starts;

    /** When devices were prepared for starts. */
    final PreparedStarts prepared;

    final HolderLog log;
    private volatile boolean isOfDaemon;

    /**
     * Preparations of the devices that a monitor follows on that node.
     *
     * @param kubeletDir the directory for device plugins of the kubelet whose pods hold them
     */
    public Preparations(Sysfs sysfs, Monitor monitor, Path kubeletDir) {
        this(sysfs, monitor, kubeletDir, device -> Optional.empty());
    }

    /**
     * The same, for devices that others may have.
     *
     * @param objection why a device must be left alone; asked once no other process can change the device; the text
     *     continues a sentence about the device
     */
    public Preparations(Sysfs sysfs, Monitor monitor, Path kubeletDir, Function<Device, Optional<String>> objection) {
        this.failures = new Failures(monitor);
        this.prepared = new PreparedStarts(sysfs);
        this.uses = new Uses(sysfs, monitor.custodian(), kubeletDir);
        this.nodes = new GivenNodes(sysfs, monitor.custodian());
        this.work = new DeviceWork(monitor, uses, this::scrubbed);
        this.preparer = new Preparer(sysfs, kubeletDir, work::tell);
        this.reading = new HolderReading(monitor, uses, nodes, kubeletDir);
        this.releases = new Releases(monitor, preparer, uses, reading);
        this.starts = new Starts(monitor, uses, reading, releases, preparer, prepared, objection);
        this.log = new HolderLog(monitor.custodian());
    }

    private void scrubbed(PrepareEvent.Scrubbed end) {
        if (end.problem().isPresent()) {
            failures.count(Failures.Kind.SCRUB);
        }
        releases.scrubbed(end);
    }

    /** Prepares for pods of the kubelet with that directory from now on. */
    public void use(Path kubeletDir) {
        preparer.use(kubeletDir);
    }

    /** The network interfaces that pods get. */
    Interfaces interfaces() {
        return preparer.interfaces();
    }

    /** Restores what a killed daemon has left half changed, and from now on what other killed processes leave. */
    public void recover() throws IOException, InterruptedException {
        preparer.recover();
        isOfDaemon = true;
        uses.useAsDaemon();
        nodes.useAsDaemon();
    }

    /** Restores what processes have left that were killed meanwhile; nothing if that is the task of another daemon. */
    void recoverAgain() throws InterruptedException {
        try {
            if (isOfDaemon) {
                preparer.recover();
            }
            uses.isWell("recovery");
        } catch (IOException e) {
            uses.tellOnce("recovery", "cannot look for what killed preparations have left: " + e.getMessage());
        }
    }

    /** Runs the listener whenever a preparation begins or ends. It must return at once. */
    public void addListener(Runnable listener) {
        work.addListener(listener);
    }

    public void removeListener(Runnable listener) {
        work.removeListener(listener);
    }

    /** Whether these belong to the node's one daemon, and not to one that is tried out. */
    boolean areOfDaemon() {
        return isOfDaemon;
    }

    /** What was asked for pods and has failed. */
    public Failures failures() {
        return failures;
    }

    /** Whether the notes of who has which devices can be read. */
    public HolderNotes holderNotes() {
        return reading.notes;
    }

    /** The durations of the steps of all preparations. */
    public List<StepTime> stepTimes() {
        return work.stepTimes.times();
    }

    @Override
    public void close() {
        preparer.close();
    }
}
