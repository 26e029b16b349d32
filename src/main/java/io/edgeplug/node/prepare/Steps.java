package io.edgeplug.node.prepare;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.PciDevice;
import io.edgeplug.model.device.UsbDevice;
import io.edgeplug.model.rules.KeptFunctions;
import io.edgeplug.model.rules.Recipe;
import io.edgeplug.model.rules.Step;
import io.edgeplug.node.scan.DeviceScan;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Runs the steps of recipes. */
record Steps(
        Sysfs sysfs,
        ChangeNotes changeNotes,
        HostDrivers hostDrivers,
        Programs programs,
        FpgaSteps fpgas,
        Interfaces interfaces) {

    /**
     * Runs a step.
     *
     * @param nextDriver that the next step binds, so that a reset need not bind another one in between
     * @param kept the functions that it must not change
     * @return a result or detail of the step; empty for most
     */
    String perform(Device device, Step step, @Nullable String nextDriver, KeptFunctions kept)
            throws IOException, TimeoutException, InterruptedException {
        return switch (step) {
            case Step.Vf vf -> programs.settings(device, vf);
            case Step.Reset reset ->
                device instanceof UsbDevice usb
                        ? new UsbReset(sysfs).reset(usb)
                        : function(device, kept).reset(reset.method(), nextDriver);
            case Step.Driver driver -> function(device, kept).bind(driver.name());
            case Step.Program program -> fpgas.program(device, program);
            case Step.Command command -> programs.run(device, command, Map.of());
            case Step.Interface moved -> interfaces.give(device, moved, kept);
        };
    }

    /** The effects of all steps of a recipe, as far as they can be found without running a step. */
    List<PlannedStep> plan(Device device, Recipe recipe) {
        List<PlannedStep> planned = new ArrayList<>();
        boolean isAsNow = true;
        for (int i = 0; i < recipe.steps().size(); i++) {
            Step step = recipe.steps().get(i);
            try {
                String change =
                        plan(device, step, driverOf(recipe.steps(), i + 1).orElse(null), recipe.kept());
                planned.add(new PlannedStep(
                        step, isAsNow || !step.changesFunction() ? change : step.text(device), Optional.empty()));
            } catch (IOException e) {
                planned.add(new PlannedStep(step, step.text(device), Optional.of(String.valueOf(e.getMessage()))));
            }
            // This step decides which driver later steps find.
            isAsNow &= !(step instanceof Step.Driver);
        }
        return planned;
    }

    /** The driver that a step of a recipe binds; empty if there is no such step, or it binds none. */
    static Optional<String> driverOf(List<Step> steps, int index) {
        return index < steps.size() && steps.get(index) instanceof Step.Driver driver
                ? Optional.of(driver.name())
                : Optional.empty();
    }

    private String plan(Device device, Step step, @Nullable String nextDriver, KeptFunctions kept) throws IOException {
        return switch (step) {
            case Step.Vf vf -> programs.planSettings(device, vf);
            case Step.Reset reset ->
                device instanceof UsbDevice
                        ? step.text()
                        : step.text() + function(device, kept).planReset(reset.method(), nextDriver);
            case Step.Driver driver -> step.text() + function(device, kept).planBind(driver.name());
            case Step.Program program -> step.text() + fpgas.plan(device, program);
            case Step.Command command -> programs.plan(device, command);
            case Step.Interface moved -> interfaces.plan(device, moved);
        };
    }

    /**
     * Returns a device's function to its host driver.
     *
     * @return the result; empty if it no longer has the recipe's driver
     */
    Optional<String> giveBackDriver(PciDevice device) throws IOException {
        PciAddress address = device.function().address();
        Optional<FunctionSettings> had = hostDrivers.settingsBefore(new PciBinding(sysfs, address));
        if (had.isEmpty()) {
            return hostDrivers.forget(address);
        }
        String text = function(device, KeptFunctions.NONE).giveBackDriver(had.orElseThrow());
        return Optional.of(text + forgetHostDriver(device));
    }

    /** No longer tries to return the function to its host driver. Returns the rest of a sentence about it. */
    String forgetHostDriver(PciDevice device) {
        return hostDrivers
                .forget(device.function().address())
                .map(problem -> "; " + problem)
                .orElse("");
    }

    /** Files of processes that prepare something, or were killed while they did. */
    List<Path> temporary() throws IOException {
        List<Path> files = new ArrayList<>(fpgas.staged());
        files.addAll(changeNotes.others());
        return files;
    }

    private FunctionSteps function(Device device, KeptFunctions kept) throws IOException {
        if (!(device instanceof PciDevice pci)) {
            throw new IOException("it is no PCI function");
        }
        PciAddress address = pci.function().address();
        // An HCA that the node uses itself may be handed over, but resetting or unbinding it could cut the node off.
        Optional<String> objection =
                kept.use(new DeviceScan(sysfs).function(address)).objection();
        if (objection.isPresent()) {
            throw new IOException(objection.orElseThrow());
        }
        return new FunctionSteps(changeNotes, hostDrivers, new PciBinding(sysfs, address));
    }
}
