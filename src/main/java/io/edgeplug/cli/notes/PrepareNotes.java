package io.edgeplug.cli.notes;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.model.rules.ClaimChoice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Step;
import io.edgeplug.node.prepare.RecipeFiles;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Finds what would fail in a preparation or a health check, before a pod needs the device. */
public final class PrepareNotes {

    private final Sysfs sysfs;
    private final RecipeFiles files;

    public PrepareNotes(Sysfs sysfs) {
        this.sysfs = sysfs;
        this.files = new RecipeFiles(sysfs);
    }

    /** A line for each problem. On a captured node, which has no programs, only the devices are checked. */
    public List<String> of(DeviceClass one, List<Device> devices) throws IOException {
        List<String> notes = new ArrayList<>();
        if (sysfs.exists("dev/null")) {
            // an image that a claim may choose is read as that of the class is
            Stream.concat(
                            Stream.of(ClaimChoice.NONE),
                            one.claims().choices().images().stream().map(ClaimChoice::of))
                    .flatMap(choice -> files.problems(one.recipe().with(choice)).stream())
                    .distinct()
                    .forEach(problem -> notes.add("prepare: " + problem));
            one.health().command().stream()
                    .limit(1)
                    .flatMap(program -> files.program(program).stream())
                    .forEach(problem -> notes.add("health.command: " + problem));
        }
        List<Step> steps = one.recipe().steps();
        boolean resets = steps.stream().anyMatch(step -> step instanceof Step.Reset)
                && steps.stream().noneMatch(step -> step instanceof Step.Driver || step instanceof Step.Interface);
        devices.stream()
                .filter(device -> resets && isOfCni(device))
                .findFirst()
                .ifPresent(device -> notes.add("prepare.reset: " + device.id() + " is bound to "
                        + device.driver().orElse("a driver")
                        + " and has a network interface: if a CNI moves that into the pod, the reset fails"));
        return notes;
    }

    private static boolean isOfCni(Device device) {
        return device instanceof VirtualFunction vf && !vf.function().netNames().isEmpty();
    }
}
