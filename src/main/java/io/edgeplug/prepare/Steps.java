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

/** The steps of recipes, each of which is done by who knows how. */
final class Steps {

    private final Sysfs sysfs;
    private final ChangeNotes changeNotes;
    private final HostDrivers hostDrivers;
    private final Programs programs;
    private final FpgaSteps fpgas;

    /** Of devices of that node; what programs write is told. */
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
     * Does a step.
     *
     * @return what it found or did that the step itself does not say; empty for most
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

    /** What all steps of a recipe would do, as far as it can be told while none of them is done. */
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
            // which driver a later step finds, this one decides
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
     * Gives a device's function the driver back that it had before a recipe's.
     *
     * @return what was done; empty if it does not have the recipe's any more
     */
    Optional<String> giveBackDriver(PciDevice device) throws IOException {
        PciAddress address = device.function().address();
        Optional<FunctionSettings> had = hostDrivers.settingsBefore(new PciBinding(sysfs, address));
        Optional<String> text =
                had.isPresent() ? Optional.of(function(device).giveBackDriver(had.orElseThrow())) : Optional.empty();
        hostDrivers.forget(address);
        return text;
    }

    /** Gives up to give it back. */
    void forgetHostDriver(PciDevice device) throws IOException {
        hostDrivers.forget(device.function().address());
    }

    /** Files of processes that prepare something, or were killed as they did. */
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
        // an HCA may be handed over with it; to reset or unbind one would cut off the node
        if (new DeviceScan(sysfs)
                .function(address).stream().anyMatch(one -> one.function().carriesDefaultRoute())) {
            throw new IOException("the node's default route goes through it");
        }
        return new FunctionSteps(changeNotes, hostDrivers, new PciBinding(sysfs, address));
    }
}
