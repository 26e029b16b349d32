package io.edgeplug.prepare;

import io.edgeplug.device.Device;
import io.edgeplug.device.PciAddress;
import io.edgeplug.device.PciDevice;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.rules.Recipe;
import io.edgeplug.rules.Step;
import io.edgeplug.scan.DeviceScan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** Runs the steps of recipes. */
final class Steps {

    private final Sysfs sysfs;
    private final ChangeNotes changeNotes;
    private final HostDrivers hostDrivers;
    private final Programs programs;
    private final FpgaSteps fpgas;

    /** The steps for devices of that node. The output of programs is reported. */
    Steps(
            Sysfs sysfs,
            ChangeNotes changeNotes,
            HostDrivers hostDrivers,
            Exclusion exclusion,
            RunningCommands commands,
            Consumer<PrepareEvent> told) {
        this.sysfs = sysfs;
        this.changeNotes = changeNotes;
        this.hostDrivers = hostDrivers;
        this.programs = new Programs(sysfs, exclusion, commands, told);
        this.fpgas = new FpgaSteps(sysfs, changeNotes, programs);
    }

    /**
     * Runs a step.
     *
     * @return a result or detail of the step; empty for most
     */
    String perform(Device device, Step step) throws IOException, TimeoutException, InterruptedException {
        return switch (step) {
            case Step.Vf vf -> programs.settings(device, vf);
            case Step.Reset reset -> function(device).reset(reset.method());
            case Step.Driver driver -> function(device).bind(driver.name());
            case Step.Program program -> fpgas.program(device, program);
            case Step.Command command -> programs.run(device, command, Map.of());
        };
    }

    /** The effects of all steps of a recipe, as far as they can be found without running a step. */
    List<PlannedStep> plan(Device device, Recipe recipe) {
        List<PlannedStep> planned = new ArrayList<>();
        boolean isAsNow = true;
        for (Step step : recipe.steps()) {
            try {
                String change = plan(device, step);
                planned.add(new PlannedStep(
                        step,
                        isAsNow || !Exclusion.changesFunction(step) ? change : step.text(device),
                        Optional.empty()));
            } catch (IOException e) {
                planned.add(new PlannedStep(step, step.text(device), Optional.of(String.valueOf(e.getMessage()))));
            }
            // This step decides which driver later steps find.
            isAsNow &= !(step instanceof Step.Driver);
        }
        return planned;
    }

    private String plan(Device device, Step step) throws IOException {
        return switch (step) {
            case Step.Vf vf -> programs.planSettings(device, vf);
            case Step.Reset reset -> step.text() + function(device).planReset(reset.method());
            case Step.Driver driver -> step.text() + function(device).planBind(driver.name());
            case Step.Program program -> step.text() + fpgas.plan(device, program);
            case Step.Command command -> programs.plan(device, command);
        };
    }

    /**
     * Returns a device's function to its host driver.
     *
     * @return what was done; empty if it no longer has the recipe's driver
     */
    Optional<String> giveBackDriver(PciDevice device) throws IOException {
        PciAddress address = device.function().address();
        Optional<FunctionSettings> had = hostDrivers.settingsBefore(new PciBinding(sysfs, address));
        Optional<String> text =
                had.isPresent() ? Optional.of(function(device).giveBackDriver(had.orElseThrow())) : Optional.empty();
        hostDrivers.forget(address);
        return text;
    }

    /** No longer tries to return the function to its host driver. */
    void forgetHostDriver(PciDevice device) throws IOException {
        hostDrivers.forget(device.function().address());
    }

    /** Files of processes that prepare something, or were killed while they did. */
    List<Path> temporary() throws IOException {
        List<Path> files = new ArrayList<>(fpgas.staged());
        files.addAll(changeNotes.others());
        return files;
    }

    private FunctionSteps function(Device device) throws IOException {
        if (!(device instanceof PciDevice pci)) {
            throw new IOException("it is no PCI function");
        }
        PciAddress address = pci.function().address();
        // An HCA with the default route may be handed over, but resetting or unbinding it would cut the node off from
        // the network.
        if (new DeviceScan(sysfs)
                .function(address).stream().anyMatch(one -> one.function().carriesDefaultRoute())) {
            throw new IOException("the node's default route goes through it");
        }
        return new FunctionSteps(changeNotes, hostDrivers, new PciBinding(sysfs, address));
    }
}
