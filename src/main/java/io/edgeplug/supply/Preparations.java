package io.edgeplug.supply;

import io.edgeplug.device.Device;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PrepareException;
import io.edgeplug.flow.Deadline;
import io.edgeplug.inventory.DeviceInPreparation;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.linux.Journal;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.prepare.Preparation;
import io.edgeplug.prepare.PrepareEvent;
import io.edgeplug.prepare.PreparedStarts;
import io.edgeplug.prepare.Preparer;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.rules.Recipe;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Prepares the devices of containers. The inventory freezes each device meanwhile.
 *
 * <p>It outlives the plugins that use it, because a preparation goes on while the kubelet restarts.
 */
public final class Preparations implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Preparations.class.getName());

    private final Monitor monitor;
    private final Preparer preparer;
    private final PreparedStarts starts;
    private final HostDriverReturn hostDrivers;
    private final DeviceUsers users;
    private final Scrubbing scrubbing;
    private final ReleasedDevices released;
    private final StepTimes stepTimes = new StepTimes();
    private final Function<Device, Optional<String>> objection;
    private final Map<String, DeviceInPreparation> inPreparation = new ConcurrentHashMap<>();
    private final Set<Runnable> listeners = new CopyOnWriteArraySet<>();
    private volatile boolean recovers;

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
        this.objection = objection;
        this.monitor = monitor;
        this.starts = new PreparedStarts(sysfs);
        this.preparer = new Preparer(sysfs, kubeletDir, this::tell);
        this.users = new DeviceUsers(sysfs, monitor);
        this.hostDrivers = new HostDriverReturn(monitor, preparer, users);
        this.scrubbing = new Scrubbing(preparer, users);
        this.released = new ReleasedDevices(monitor, users, scrubbing);
    }

    /** Prepares for pods of the kubelet with that directory from now on. */
    public void use(Path kubeletDir) {
        preparer.use(kubeletDir);
    }

    /** Restores what a killed daemon has left half changed, and from now on what other killed processes leave. */
    public void recover() throws IOException, InterruptedException {
        preparer.recover();
        recovers = true;
        users.useAsDaemon();
    }

    /** Restores what processes have left that were killed meanwhile; nothing if that is the task of another daemon. */
    void recoverAgain() throws InterruptedException {
        try {
            if (recovers) {
                preparer.recover();
            }
        } catch (IOException e) {
            LOG.warning(() -> "cannot look for what killed preparations have left: " + e.getMessage());
        }
    }

    /** Runs the listener whenever a preparation begins or ends. It must return at once. */
    public void addListener(Runnable listener) {
        listeners.add(listener);
    }

    public void removeListener(Runnable listener) {
        listeners.remove(listener);
    }

    private void tellListeners() {
        listeners.forEach(Runnable::run);
    }

    /** Whether these belong to the node's one daemon, and not to one that is tried out. */
    boolean areOfDaemon() {
        return recovers;
    }

    /**
     * Prepares these devices at the same time, or joins preparations that run. Before that, traces of another pod are
     * scrubbed.
     *
     * @param recipe that of the class, with the choices of a claim
     * @param kubeletDir the directory of the kubelet that has noted the starting container
     * @param lost why the caller must not get a device any more, asked once no other process can change the device; the
     *     text continues a sentence about the device
     * @throws PrepareException if one could not be prepared, with a sentence that names it
     * @throws TimeoutException if one takes longer than the class allows, with a sentence that names it
     */
    void prepare(
            DeviceClass deviceClass,
            Recipe recipe,
            List<Device> devices,
            Path kubeletDir,
            Function<Device, Optional<String>> lost)
            throws PrepareException, TimeoutException, InterruptedException {
        Deadline deadline = Deadline.in(recipe.timeout());
        Map<Device, Set<String>> pods = new HashMap<>();
        if (deviceClass.tracksUse()) {
            pods.putAll(scrubbing.beforeStart(deviceClass, devices, kubeletDir, deadline));
        }
        List<Preparation> all = devices.stream()
                .map(device -> preparer.prepare(device, recipe, () -> {
                    refuse(objection.apply(device));
                    refuse(lost.apply(device));
                    if (deviceClass.tracksUse()) {
                        scrubbing.noteStart(deviceClass, device, kubeletDir, pods.getOrDefault(device, Set.of()));
                    }
                }))
                .toList();
        Optional<PrepareException> failed = Optional.empty();
        List<Preparation> late = new ArrayList<>();
        for (Preparation one : all) {
            try {
                if (!one.await(deadline.left())) {
                    late.add(one);
                }
            } catch (PrepareException e) {
                // The next caller has it tried again.
                preparer.collect(one);
                failed = failed.or(() -> Optional.of(e));
            }
        }
        late.forEach(this::reportIfStuck);
        late.forEach(preparer::passBy);
        if (failed.isPresent()) {
            throw failed.orElseThrow();
        }
        if (!late.isEmpty()) {
            Preparation first = late.getFirst();
            throw new TimeoutException(
                    "Device %s of %s is not prepared after %d s: %s; the preparation goes on, and the next try waits for it."
                            .formatted(
                                    first.device().id(),
                                    deviceClass.resource(),
                                    recipe.timeout().toSeconds(),
                                    first.progress()));
        }
        for (Preparation one : all) {
            starts.note(one.device());
            // Earlier containers may have had it unprepared, but the one that starts now has it prepared.
            monitor.mark(one.device().id(), Optional.empty());
            preparer.collect(one);
        }
    }

    /**
     * Waits until devices that other pods have used are scrubbed, for a caller that knows that nobody else holds them.
     *
     * @param kubeletDir the directory of the kubelet that has noted the starting container
     * @throws PrepareException if one is not available, with a sentence that names it
     * @throws TimeoutException if one takes longer, with a sentence that names it
     */
    void awaitScrub(DeviceClass deviceClass, List<Device> devices, Path kubeletDir, Deadline deadline)
            throws PrepareException, TimeoutException, InterruptedException {
        Map<Device, Set<String>> ignored = scrubbing.beforeStart(deviceClass, devices, kubeletDir, deadline);
    }

    /** The users of devices. */
    DeviceUsers users() {
        return users;
    }

    /** The devices whose pods are gone. */
    ReleasedDevices released() {
        return released;
    }

    /**
     * Returns the functions that no container holds to their host driver, on other threads. Functions that were bound
     * for another kubelet's pods stay as they are. All stay if the devices of this kubelet's pods are not known.
     *
     * @return whether there are others, which wait for their release
     */
    public boolean giveBackDrivers(Path kubeletDir, HostDriverReturn.HeldReading reading) {
        return hostDrivers.giveBack(kubeletDir, reading);
    }

    /** When devices were prepared for starts of containers. */
    PreparedStarts starts() {
        return starts;
    }

    /** The durations of the steps of all preparations. */
    public List<StepTime> stepTimes() {
        return stepTimes.times();
    }

    /** The IDs of the devices that are being prepared now. */
    public Set<String> inPreparation() {
        return Set.copyOf(inPreparation.keySet());
    }

    private static void refuse(Optional<String> text) throws IOException {
        if (text.isPresent()) {
            throw new IOException(text.orElseThrow());
        }
    }

    /** Reports a device that the kernel may never release. */
    private void reportIfStuck(Preparation late) {
        Optional<DeviceInPreparation> device =
                Optional.ofNullable(inPreparation.get(late.device().id()));
        if (device.isEmpty()) {
            return;
        }
        if (late.isInKernel()) {
            device.orElseThrow().report("is being prepared: " + late.progress());
        } else if (late.device() instanceof PciDevice pci && preparer.isGivingBackDriver(pci)) {
            device.orElseThrow().report("has not returned to its host driver yet, as if a process still used it");
        }
    }

    private void tell(PrepareEvent event) {
        switch (event) {
            case PrepareEvent.Begun begun -> {
                inPreparation.put(begun.device().id(), monitor.beginPreparation(begun.device()));
                tellListeners();
            }
            case PrepareEvent.StepDone done -> {
                monitor.current()
                        .resource(done.device().id())
                        .ifPresent(
                                resource -> stepTimes.add(resource, done.step().word(), done.took()));
                LOG.fine(() -> "%s: %s %s done in %d ms"
                        .formatted(
                                done.device().id(),
                                done.step().word(),
                                done.note(),
                                done.took().toMillis()));
            }
            case PrepareEvent.Output output -> log(output.device(), output.line());
            case PrepareEvent.Ended ended -> {
                if (ended.problem().isEmpty()) {
                    log(ended.device(), "prepared in " + ended.took().toMillis() + " ms");
                }
                endPreparation(ended.device(), ended.problem().map(problem -> "could not be prepared: " + problem));
                tellListeners();
            }
            case PrepareEvent.Restored restored -> {
                endPreparation(restored.device(), Optional.empty());
                awaitScan();
            }
            case PrepareEvent.Scrubbed end -> {
                endPreparation(end.device(), Optional.empty());
                released.tell(end);
                tellListeners();
            }
            case PrepareEvent.DriverGivenBack back -> {
                back.text().ifPresent(text -> log(back.device(), text));
                endPreparation(back.device(), Optional.empty());
            }
            case PrepareEvent.Recovered recovered -> {
                LOG.log(Level.WARNING, recovered.what() + ": " + recovered.text(), new Object[] {
                    Journal.device(recovered.what())
                });
                monitor.lookAgain(recovered.what());
            }
        }
    }

    /** A scrub may have changed the driver, and the next pod gets the device as the inventory shows it. */
    private void awaitScan() {
        try {
            monitor.awaitScans();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void endPreparation(Device device, Optional<String> problem) {
        Optional.ofNullable(inPreparation.remove(device.id())).ifPresent(one -> one.end(problem));
    }

    private static void log(Device device, String text) {
        LOG.log(Level.INFO, device.id() + ": " + text, new Object[] {Journal.device(device.id())});
    }

    @Override
    public void close() {
        preparer.close();
    }
}
