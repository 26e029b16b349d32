package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.device.Device;
import io.edgeplug.device.PciDevice;
import io.edgeplug.device.PrepareException;
import io.edgeplug.inventory.Inventory.Item;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.pods.HeldDevices;
import io.edgeplug.prepare.PlannedStep;
import io.edgeplug.prepare.Preparation;
import io.edgeplug.prepare.PrepareEvent;
import io.edgeplug.prepare.Preparer;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.rules.Recipe;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Prepares one device by hand, beside a daemon that may be running: both keep others from it in the same way, and what
 * the daemon finds changed while this goes on it leaves as it was.
 */
final class ByHand {

    /** How often a log is told what is waited for. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** How often a person at a terminal is. */
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final Sysfs sysfs;
    private final Optional<Path> kubeletDir;
    private final Lines out;
    private final ProgressLine progress;

    /** Whether anything may have been done to the device. */
    private volatile boolean hasBegun;

    /** On that node, whose kubelet has that directory for device plugins; a captured node has none. */
    ByHand(Sysfs sysfs, Optional<Path> kubeletDir, Lines out) {
        this(sysfs, kubeletDir, out, ProgressLine.of(out.out()));
    }

    ByHand(Sysfs sysfs, Optional<Path> kubeletDir, Lines out, ProgressLine progress) {
        this.sysfs = sysfs;
        this.kubeletDir = kubeletDir;
        this.out = out;
        this.progress = progress;
    }

    /**
     * Prints what would be done to a device.
     *
     * @return whether nothing speaks against it
     */
    boolean plan(List<DeviceClass> classes, String name) throws IOException {
        Item item = item(classes, name);
        boolean isGood = true;
        try (Preparer preparer = preparer(event -> {})) {
            for (PlannedStep step : preparer.plan(item.device(), recipe(item))) {
                out.print(PlanText.line(step.step(), step.text()));
                step.problem().ifPresent(problem -> out.print("             would fail: " + problem));
                isGood &= step.problem().isEmpty();
            }
        }
        Optional<String> objection = objection(item.device());
        objection.ifPresent(text -> out.print("needs --force: it " + text));
        out.flush();
        return isGood && objection.isEmpty();
    }

    /**
     * Prepares a device, and prints each step.
     *
     * @throws IOException if it could not be prepared, or a pod may hold it and nobody insists
     */
    void prepare(List<DeviceClass> classes, String name, boolean force) throws IOException, InterruptedException {
        Item item = item(classes, name);
        String id = item.device().id();
        if (recipe(item).isEmpty()) {
            return;
        }
        Preparer.Precondition free = () -> refuseIfHeld(item.device());
        // closed last, and what fails there does not hide why the device could not be prepared
        try (Closeable announcing = () -> announce(item.device());
                Preparer preparer = preparer(this::print)) {
            // whoever ends this has it put back first what it has begun
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(preparer::close));
            // looked at when nobody can prepare it for a pod any more: while this waits, one may get it
            Preparation preparation = preparer.prepare(item.device(), recipe(item), force ? () -> {} : free);
            Instant begun = Instant.now();
            while (!preparation.await(progress.isShown() ? SECOND : PATIENCE)) {
                tellProgress(preparation, Duration.between(begun, Instant.now()));
            }
            print(id + ": prepared in " + Duration.between(begun, Instant.now()).toMillis() + " ms");
        } catch (PrepareException e) {
            throw new IOException(id + ": " + e.problem(), e);
        } finally {
            synchronized (out) {
                progress.erase();
            }
        }
    }

    private void tellProgress(Preparation preparation, Duration since) {
        if (progress.isShown()) {
            synchronized (out) {
                progress.show("             %d s: %s".formatted(since.toSeconds(), preparation.progress()));
            }
        } else {
            print("             " + preparation.progress());
        }
    }

    private Preparer preparer(Consumer<PrepareEvent> told) {
        return new Preparer(sysfs, kubeletDir.orElse(Config.DEFAULTS.kubeletDir()), told);
    }

    /** Why a device should be left alone; empty if no pod holds it. */
    Optional<String> objection(Device device) {
        if (kubeletDir.isEmpty()) {
            return Optional.empty();
        }
        try {
            return HeldDevices.read(kubeletDir.orElseThrow())
                    .of(device)
                    .map(held -> "may be held by container %s of pod %s, as %s of %s"
                            .formatted(held.container(), held.pod(), held.id(), held.resource()));
        } catch (IOException e) {
            return Optional.of("may be held by a pod, for nothing tells: " + e.getMessage());
        }
    }

    private void refuseIfHeld(Device device) throws IOException {
        Optional<String> objection = objection(device);
        if (objection.isPresent()) {
            throw new IOException(objection.orElseThrow() + "; --force prepares it all the same");
        }
    }

    private Item item(List<DeviceClass> classes, String name) throws IOException {
        Item item = ScannedNode.of(sysfs, classes).one(name).item();
        String id = item.device().id();
        DeviceClass taker = item.deviceClass()
                .orElseThrow(() -> new IOException(id + ": no class takes it, see edgeplug explain " + id));
        out.print(id + " of " + taker.resource()
                + (taker.recipe().isEmpty() ? ": nothing to do, its class has no [class.prepare]" : ""));
        return item;
    }

    private static Recipe recipe(Item item) {
        return item.deviceClass().map(DeviceClass::recipe).orElse(Recipe.NONE);
    }

    private void print(PrepareEvent event) {
        switch (event) {
            case PrepareEvent.StepDone done ->
                print(PlanText.line(done.step(), done.step().text(done.device()))
                        + (done.note().isEmpty() ? "" : ", " + done.note())
                        + ": " + done.took().toMillis() + " ms");
            case PrepareEvent.Output output -> print("             " + output.line());
            case PrepareEvent.Recovered recovered -> print("             " + recovered.text());
            case PrepareEvent.Begun begun -> hasBegun = true;
            case PrepareEvent.Ended ended -> {}
            case PrepareEvent.DriverGivenBack back -> {}
        }
    }

    /** On the threads that prepare, too. */
    private void print(String line) {
        synchronized (out) {
            progress.erase();
            out.print(line);
            out.flush();
        }
    }

    /** Has the kernel tell of the function once more, so that a daemon that left it alone looks at it again. */
    private void announce(Device device) throws IOException {
        if (hasBegun && device instanceof PciDevice pci) {
            String uevent = "sys/bus/pci/devices/" + pci.function().address() + "/uevent";
            if (sysfs.exists(uevent)) {
                sysfs.write(uevent, "change");
            }
        }
    }
}
