package io.edgeplug.supply;

import io.edgeplug.device.Device;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PrepareException;
import io.edgeplug.flow.Deadline;
import io.edgeplug.inventory.DeviceInPreparation;
import io.edgeplug.inventory.Monitor;
import io.edgeplug.linux.Journal;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.prepare.Preparation;
import io.edgeplug.prepare.PrepareEvent;
import io.edgeplug.prepare.PreparedStarts;
import io.edgeplug.prepare.Preparer;
import io.edgeplug.rules.DeviceClass;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Prepares the devices of containers, each of which the inventory keeps as it is meanwhile.
 *
 * <p>It outlives the plugins that use it: a preparation goes on while the kubelet restarts.
 */
public final class Preparations implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(Preparations.class.getName());

    private final Monitor monitor;
    private final Preparer preparer;
    private final PreparedStarts starts;
    private final Function<Device, Optional<String>> objection;
    private final Map<String, DeviceInPreparation> inPreparation = new ConcurrentHashMap<>();
    private volatile boolean recovers;
    private volatile Runnable whenPrepared = () -> {};

    /**
     * For the devices that a monitor follows on that node.
     *
     * @param kubeletDir the directory for device plugins of the kubelet whose pods hold them
     */
    public Preparations(Sysfs sysfs, Monitor monitor, Path kubeletDir) {
        this(sysfs, monitor, kubeletDir, device -> Optional.empty());
    }

    /**
     * The same, of devices that others may have.
     *
     * @param objection why a device must be left alone, asked once nobody else can do anything to it; the text goes on
     *     after the device
     */
    public Preparations(Sysfs sysfs, Monitor monitor, Path kubeletDir, Function<Device, Optional<String>> objection) {
        this.objection = objection;
        this.monitor = monitor;
        this.starts = new PreparedStarts(sysfs);
        this.preparer = new Preparer(sysfs, kubeletDir, this::tell);
    }

    /** Prepares for pods of the kubelet with that directory from now on. */
    public void use(Path kubeletDir) {
        preparer.use(kubeletDir);
    }

    /** Puts back what a daemon that was killed had begun, and from now on what others that are killed have. */
    public void recover() throws IOException, InterruptedException {
        preparer.recover();
        recovers = true;
    }

    /** Puts back what was begun by who has been killed meanwhile; nothing where that is for another daemon to do. */
    void recoverAgain() throws InterruptedException {
        try {
            if (recovers) {
                preparer.recover();
            }
        } catch (IOException e) {
            LOG.warning(() -> "cannot look for what killed preparations have left: " + e.getMessage());
        }
    }

    /** Whether this is of the node's one daemon, and not of one that is tried out. */
    boolean areOfDaemon() {
        return recovers;
    }

    /**
     * Prepares these devices side by side, or joins who does.
     *
     * @throws PrepareException if one could not be prepared, with a sentence that names it
     * @throws TimeoutException if one takes longer than the class allows, with a sentence that names it
     */
    void prepare(DeviceClass deviceClass, List<Device> devices)
            throws PrepareException, TimeoutException, InterruptedException {
        Deadline deadline = Deadline.in(deviceClass.recipe().timeout());
        List<Preparation> all = devices.stream()
                .map(device -> preparer.prepare(device, deviceClass.recipe(), () -> refuse(device)))
                .toList();
        Optional<PrepareException> failed = Optional.empty();
        List<Preparation> late = new ArrayList<>();
        for (Preparation one : all) {
            try {
                if (!one.await(deadline.left())) {
                    late.add(one);
                }
            } catch (PrepareException e) {
                // whoever asks again has it tried again
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
                                    deviceClass.recipe().timeout().toSeconds(),
                                    first.progress()));
        }
        for (Preparation one : all) {
            starts.note(one.device());
            // whatever started before, the container that starts now has it prepared
            monitor.mark(one.device().id(), Optional.empty());
            preparer.collect(one);
        }
    }

    /** Calls this whenever a device was prepared, so that it waits for its release from now on; it must return at once. */
    void whenPrepared(Runnable listener) {
        whenPrepared = listener;
    }

    /** When containers' starts had devices prepared. */
    PreparedStarts starts() {
        return starts;
    }

    private void refuse(Device device) throws IOException {
        Optional<String> text = objection.apply(device);
        if (text.isPresent()) {
            throw new IOException(text.orElseThrow());
        }
    }

    /** A reading of what pods of a kubelet hold now. */
    public interface HeldReading {
        /**
         * Reads it.
         *
         * @throws IOException if it is not known; then every device may be held
         */
        HeldDevices read() throws IOException;
    }

    /**
     * Returns the functions that no container holds to the host driver that they had before a recipe's, beside whatever
     * else is done. Those that were bound for another kubelet's pods stay as they are, and all do where it is not known what
     * the pods of this one hold.
     *
     * @return whether there are others, which wait for their release
     */
    public boolean giveBackDrivers(Path kubeletDir, HeldReading reading) {
        try {
            List<PciAddress> rebound = preparer.rebound(kubeletDir);
            if (rebound.isEmpty()) {
                return false;
            }
            HeldDevices held = reading.read();
            List<PciDevice> waiting = monitor.current().items().stream()
                    .flatMap(item -> item.device() instanceof PciDevice pci ? Stream.of(pci) : Stream.empty())
                    .filter(device -> rebound.contains(device.function().address()))
                    .toList();
            waiting.stream()
                    .filter(device -> held.of(device).isEmpty())
                    .forEach(device -> preparer.giveBackDriver(device, () -> checkFree(kubeletDir, reading, device)));
            return waiting.stream().anyMatch(device -> held.of(device).isPresent());
        } catch (IOException e) {
            LOG.fine(() -> "drivers stay as they are: " + e.getMessage());
            return false;
        }
    }

    /** The kubelet notes a device before its container starts: from then on no one but the recipe gives it a driver. */
    private void checkFree(Path kubeletDir, HeldReading reading, PciDevice device) throws IOException {
        if (!preparer.rebound(kubeletDir).contains(device.function().address())) {
            throw new IOException("has been bound for another kubelet");
        }
        if (reading.read().of(device).isPresent()) {
            throw new IOException("is held");
        }
    }

    /** What the kernel does not give back may never be of use again. */
    private void reportIfStuck(Preparation late) {
        Optional<DeviceInPreparation> device =
                Optional.ofNullable(inPreparation.get(late.device().id()));
        if (device.isEmpty()) {
            return;
        }
        if (late.isInKernel()) {
            device.orElseThrow().report("is being prepared: " + late.progress());
        } else if (late.device() instanceof PciDevice pci && preparer.isGivingBackDriver(pci)) {
            device.orElseThrow().report("has not got its own driver back yet, as if a process still used it");
        }
    }

    private void tell(PrepareEvent event) {
        switch (event) {
            case PrepareEvent.Begun begun ->
                inPreparation.put(begun.device().id(), monitor.beginPreparation(begun.device()));
            case PrepareEvent.StepDone done ->
                LOG.fine(() -> "%s: %s %s done in %d ms"
                        .formatted(
                                done.device().id(),
                                done.step().word(),
                                done.note(),
                                done.took().toMillis()));
            case PrepareEvent.Output output -> log(output.device(), output.line());
            case PrepareEvent.Ended ended -> {
                if (ended.problem().isEmpty()) {
                    log(ended.device(), "prepared in " + ended.took().toMillis() + " ms");
                }
                Optional.ofNullable(inPreparation.remove(ended.device().id()))
                        .ifPresent(device ->
                                device.end(ended.problem().map(problem -> "could not be prepared: " + problem)));
                whenPrepared.run();
            }
            case PrepareEvent.DriverGivenBack back -> {
                back.text().ifPresent(text -> log(back.device(), text));
                Optional.ofNullable(inPreparation.remove(back.device().id()))
                        .ifPresent(device -> device.end(Optional.empty()));
            }
            case PrepareEvent.Recovered recovered -> {
                LOG.log(Level.WARNING, recovered.what() + ": " + recovered.text(), new Object[] {
                    Journal.device(recovered.what())
                });
                monitor.lookAgain(recovered.what());
            }
        }
    }

    private static void log(Device device, String text) {
        LOG.log(Level.INFO, device.id() + ": " + text, new Object[] {Journal.device(device.id())});
    }

    @Override
    public void close() {
        preparer.close();
    }
}
