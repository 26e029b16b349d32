package io.edgeplug.cli;

import io.edgeplug.cli.devices.GoneDevice;
import io.edgeplug.cli.devices.ScannedNode;
import io.edgeplug.cli.options.Lines;
import io.edgeplug.cli.options.PlanText;
import io.edgeplug.cli.options.ProgressLine;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.PrepareException;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.node.pods.Holdings;
import io.edgeplug.node.pods.PodCgroups;
import io.edgeplug.node.prepare.PlannedStep;
import io.edgeplug.node.prepare.Preparation;
import io.edgeplug.node.prepare.PrepareEvent;
import io.edgeplug.node.prepare.Preparer;
import io.edgeplug.node.prepare.UseNotes;
import io.edgeplug.system.files.Sysfs;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Prepares one device by hand, beside a daemon that may be running. Both lock others out in the same way, and the
 * daemon leaves the device's state in its inventory unchanged meanwhile.
 */
final class ByHand {

    private final Sysfs sysfs;
    private final @Nullable Path kubeletDir;
    private final UseNotes used;
    private final Lines out;
    private final ProgressLine progress;

    /** Whether the device may have been changed. */
    private volatile boolean hasBegun;

    /** For that node, whose kubelet has that directory for device plugins; a captured node has none. */
    ByHand(Sysfs sysfs, @Nullable Path kubeletDir, Lines out) {
        this(sysfs, kubeletDir, out, ProgressLine.of(out.out()));
    }

    ByHand(Sysfs sysfs, @Nullable Path kubeletDir, Lines out, ProgressLine progress) {
        this.sysfs = sysfs;
        this.kubeletDir = kubeletDir;
        this.used = new UseNotes(sysfs);
        this.out = out;
        this.progress = progress;
    }

    /**
     * The task for a device.
     *
     * @param isRelease whether to run the steps after its last pod, instead of those before each container
     * @param resource that is meant of its faces; empty for the one as which it was used, or for its first
     */
    record Errand(boolean isRelease, Optional<String> resource) {

        Recipe recipe(Item item) {
            return item.deviceClass()
                    .map(one -> isRelease ? one.release() : one.recipe())
                    .orElse(Recipe.NONE);
        }

        /** The result, for a person. */
        String done() {
            return isRelease ? "scrubbed" : "prepared";
        }
    }

    /**
     * Prints what would be done to a device.
     *
     * @return whether nothing prevents it
     */
    boolean plan(List<DeviceClass> classes, String name, Errand errand) throws IOException {
        Item item = item(classes, name, errand);
        boolean isGood = true;
        try (Preparer preparer = preparer(event -> {})) {
            for (PlannedStep step : preparer.plan(item.device(), errand.recipe(item))) {
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
     * Prepares or scrubs a device, and prints each step.
     *
     * @throws IOException if that failed, or a pod may hold the device and it is not forced
     */
    void perform(List<DeviceClass> classes, String name, Errand errand, boolean force)
            throws IOException, InterruptedException {
        Item item = item(classes, name, errand);
        String id = item.device().id();
        if (isNothing(item, errand)) {
            return;
        }
        Preparer.Precondition free = () -> {
            Optional<String> objection = objection(item.device());
            if (objection.isPresent()) {
                throw new IOException(objection.orElseThrow() + "; use --force to do it anyway");
            }
        };
        // It is closed last, and a failure of the close does not hide why the device could not be prepared.
        try (Closeable announcing = () -> announce(item.device());
                Preparer preparer = preparer(this::print)) {
            // If this process is ended, it first restores what is half changed.
            Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(preparer::close));
            // The holder is checked once no pod can have the device prepared any more, because a pod may get it during
            // the wait.
            Preparation preparation = begin(preparer, item, errand, force ? () -> {} : free);
            Instant begun = Instant.now();
            // A terminal shows more often what is waited for than a log.
            while (!preparation.await(Duration.ofSeconds(progress.isShown() ? 1 : 5))) {
                tellProgress(preparation, Duration.between(begun, Instant.now()));
            }
            print(id + ": " + errand.done() + " in "
                    + Duration.between(begun, Instant.now()).toMillis() + " ms");
        } catch (PrepareException e) {
            throw new IOException(id + ": " + e.problem(), e);
        } finally {
            synchronized (out) {
                progress.erase();
            }
        }
    }

    /** A device that is noted as used is offered again even if its class has no steps. */
    private boolean isNothing(Item item, Errand errand) {
        return errand.recipe(item).isEmpty()
                && (!errand.isRelease() || used.find(item.device().id()).isEmpty());
    }

    private Preparation begin(Preparer preparer, Item item, Errand errand, Preparer.Precondition precondition)
            throws IOException {
        Device device = item.device();
        if (!errand.isRelease()) {
            return preparer.prepare(device, errand.recipe(item), Set.of(), precondition);
        }
        if (used.find(device.id()).filter(use -> use.isOf(device)).isEmpty()) {
            // A refused task must leave no trace.
            precondition.check();
            used.note(device, item.resource().map(Object::toString).orElse(""), Set.of(), directory());
        }
        return preparer.scrub(device, errand.recipe(item), precondition);
    }

    private Path directory() {
        return kubeletDir == null ? Config.DEFAULTS.kubeletDir() : kubeletDir;
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
        return new Preparer(sysfs, directory(), told);
    }

    /** Why a device should be left alone; empty if no pod holds it, and none that has used it has a process left. */
    Optional<String> objection(Device device) {
        return objection(device.id(), device);
    }

    private Optional<String> objection(String id, @Nullable Device orGone) {
        if (kubeletDir == null) {
            return Optional.empty();
        }
        try {
            Holdings all = Holdings.read(sysfs.locate(""), kubeletDir);
            Optional<Holding> holder = orGone == null ? all.of(id) : all.of(orGone);
            return holder.map(held -> all.claim(held)
                            .map(claim -> "is held by " + claim)
                            .orElse("may be held by container %s of pod %s, as %s of %s"
                                    .formatted(held.container(), held.pod(), held.id(), held.resource())))
                    .or(() -> stillUsed(id));
        } catch (IOException e) {
            return Optional.of("may be held by a pod, because it is not known what pods hold: " + e.getMessage());
        }
    }

    /** The kubelet forgets a pod before its last process has ended. */
    private Optional<String> stillUsed(String id) {
        PodCgroups cgroups = new PodCgroups(sysfs.locate("sys/fs/cgroup"));
        return used.find(id)
                .filter(use -> !use.isReleased())
                .flatMap(use -> use.pods().stream().filter(cgroups::has).findFirst())
                .map(uid -> "is used by processes of pod " + uid + " that have not ended yet");
    }

    /**
     * Deletes the note that a pod has used a device that was removed for good.
     *
     * @throws IOException if the device is there or has no note, or a pod may hold it and it is not forced
     */
    void forget(List<DeviceClass> classes, String name, boolean force) throws IOException {
        GoneDevice gone = GoneDevice.named(sysfs, classes, name);
        Optional<String> objection = objection(gone.id(), null);
        if (!force && objection.isPresent()) {
            throw new IOException(gone.id() + ": it " + objection.orElseThrow() + "; use --force to do it anyway");
        }
        gone.forget();
        print(gone.id() + ": forgotten: " + gone.lastUse());
    }

    /**
     * Prints which note would be deleted.
     *
     * @return whether nothing prevents it
     */
    boolean planForget(List<DeviceClass> classes, String name) throws IOException {
        GoneDevice gone = GoneDevice.named(sysfs, classes, name);
        Optional<String> objection = objection(gone.id(), null);
        print(gone.id() + " would be forgotten: " + gone.lastUse());
        objection.ifPresent(text -> print("needs --force: it " + text));
        return objection.isEmpty();
    }

    private Item item(List<DeviceClass> classes, String name, Errand errand) throws IOException {
        ScannedNode node = ScannedNode.of(sysfs, classes);
        GoneDevice gone =
                errand.isRelease() ? GoneDevice.find(sysfs, classes, name).orElse(null) : null;
        if (gone != null) {
            throw new IOException(gone.id() + ": " + gone.text());
        }
        String id = node.one(name).device().id();
        Optional<String> usedAs = errand.isRelease() ? used.find(id).flatMap(UseNotes.Use::resource) : Optional.empty();
        String resource = errand.resource().or(() -> usedAs).orElse(null);
        Item item = node.one(id, resource).item();
        DeviceClass taker = item.deviceClass()
                .orElseThrow(() -> new IOException(id + ": no class takes it, see edgeplug explain " + id));
        String table = errand.isRelease() ? "[class.release]" : "[class.prepare]";
        out.print(id + " of " + taker.resource()
                + (isNothing(item, errand) ? ": nothing to do, its class has no " + table : ""));
        return item;
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
            case PrepareEvent.Restored restored -> {}
            case PrepareEvent.Scrubbed scrubbed -> {}
            case PrepareEvent.DriverGivenBack back -> {}
        }
    }

    /** Also called on the threads that prepare. */
    private void print(String line) {
        synchronized (out) {
            progress.erase();
            out.print(line);
            out.flush();
        }
    }

    /** Triggers a uevent of the function, so that a daemon that left it alone scans it again. */
    private void announce(Device device) throws IOException {
        if (hasBegun && device instanceof PciDevice pci) {
            String uevent = "sys/bus/pci/devices/" + pci.function().address() + "/uevent";
            if (sysfs.exists(uevent)) {
                sysfs.write(uevent, "change");
            }
        }
    }
}
