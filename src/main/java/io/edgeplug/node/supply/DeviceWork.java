package io.edgeplug.node.supply;

import io.edgeplug.model.custody.Custodian;
import io.edgeplug.model.custody.Custody;
import io.edgeplug.model.custody.Event;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.custody.Work;
import io.edgeplug.model.device.Device;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.node.prepare.PrepareEvent;
import io.edgeplug.system.systemd.Journal;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Follows what is done to devices: they are frozen in the inventory meanwhile, the custodian is told, and the log. Events
 * come on the threads that do the work. Thread-safe.
 */
final class DeviceWork {

    private static final Logger LOG = Logger.getLogger(DeviceWork.class.getName());

    private final Monitor monitor;
    private final Custodian custodian;
    private final Uses uses;
    private final Consumer<PrepareEvent.Scrubbed> scrubbed;

    /** The durations of all steps. */
    final StepTimes stepTimes = new StepTimes();

    private final Set<Runnable> listeners = new CopyOnWriteArraySet<>();

    /** Follows the devices of a monitor; {@code scrubbed} gets the end of each scrub. */
    DeviceWork(Monitor monitor, Uses uses, Consumer<PrepareEvent.Scrubbed> scrubbed) {
        this.monitor = monitor;
        this.custodian = monitor.custodian();
        this.uses = uses;
        this.scrubbed = scrubbed;
    }

    /** Runs the listener whenever work begins or ends. It must return at once. */
    void addListener(Runnable listener) {
        listeners.add(listener);
    }

    void removeListener(Runnable listener) {
        listeners.remove(listener);
    }

    void tell(PrepareEvent event) {
        switch (event) {
            case PrepareEvent.Begun begun -> begin(begun.device(), begun.purpose());
            case PrepareEvent.StepDone done -> note(done);
            case PrepareEvent.Output output -> log(output.device(), output.line());
            case PrepareEvent.Ended ended -> {
                if (ended.problem().isEmpty()) {
                    log(ended.device(), "prepared in " + ended.took().toMillis() + " ms");
                }
                end(
                        ended.device(),
                        Work.Kind.PREPARE,
                        ended.problem()
                                .map(problem -> "could not be prepared: " + problem)
                                .orElse(null));
            }
            case PrepareEvent.Restored restored -> {
                monitor.thaw(restored.device());
                awaitScan();
            }
            case PrepareEvent.Scrubbed end -> {
                monitor.thaw(end.device());
                scrubbed.accept(end);
                listeners.forEach(Runnable::run);
            }
            case PrepareEvent.DriverGivenBack back -> {
                back.text().ifPresent(text -> log(back.device(), text));
                end(back.device(), Work.Kind.RETURN, null);
            }
            case PrepareEvent.Recovered recovered -> {
                LOG.log(Level.WARNING, recovered.what() + ": " + recovered.text(), new Object[] {
                    Journal.device(recovered.what())
                });
                monitor.lookAgain(recovered.what());
            }
        }
    }

    private void begin(Device device, PrepareEvent.Purpose purpose) {
        monitor.freeze(device);
        Work.Kind kind = switch (purpose) {
            case START -> Work.Kind.PREPARE;
            case RELEASE -> Work.Kind.SCRUB;
            case RETURN -> Work.Kind.RETURN;
        };
        if (!custodian.of(device.id()).isUnder(kind)) {
            String user = kind == Work.Kind.PREPARE ? chooser(device) : "";
            custodian.tell(
                    device.id(), new Event.Begun(kind, user, Instant.now().truncatedTo(ChronoUnit.SECONDS)));
        }
        listeners.forEach(Runnable::run);
    }

    private void note(PrepareEvent.StepDone done) {
        monitor.current()
                .resource(done.device().id())
                .ifPresent(resource -> stepTimes.add(resource, done.step().word(), done.took()));
        LOG.fine(() -> "%s: %s %s done in %d ms"
                .formatted(
                        done.device().id(),
                        done.step().word(),
                        done.note(),
                        done.took().toMillis()));
    }

    /** A scrub may have changed the driver, and the next pod gets the device as the inventory shows it. */
    private void awaitScan() {
        try {
            monitor.awaitScans();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void end(Device device, Work.Kind kind, @Nullable String problem) {
        Custody before = custodian.of(device.id());
        custodian.tell(device.id(), new Event.Ended(kind, Optional.ofNullable(problem), System.nanoTime()));
        monitor.thaw(device);
        // A listener tries again what is due, and work that could not begin would fail again at once.
        if (!custodian.of(device.id()).equals(before)) {
            listeners.forEach(Runnable::run);
        }
    }

    /** The claim that has the device, if its choice may be the reason why the device could not be prepared. */
    private String chooser(Device device) {
        return custodian.of(device.id()).holds().values().stream()
                .filter(hold -> hold.user() instanceof User.Claim && uses.hasChoices(hold.resource()))
                .map(hold -> hold.user().uid())
                .findFirst()
                .orElse("");
    }

    private static void log(Device device, String text) {
        LOG.log(Level.INFO, device.id() + ": " + text, new Object[] {Journal.device(device.id())});
    }
}
