package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.config.ConfigException;
import io.edgeplug.config.ConfigFiles;
import io.edgeplug.device.Device;
import io.edgeplug.inventory.Inventory;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.supply.Candidate;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Reads the configuration, and looks at the node for likely slips. Changes nothing. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description =
                "Check the configuration. Print every mistake in every file, or else each resource with its devices on "
                        + "this node. Notes are about likely slips, such as classes that overlap or match nothing. "
                        + "Warnings are about what would fail, such as a missing image or, if pods claim devices, a "
                        + "kubeconfig that cannot be read. systemctl reload runs this first.")
final class CheckCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Option(names = "--config-only", description = "Do not look at the node.")
    private boolean configOnly;

    @Override
    public Integer call() throws ConfigException, InterruptedException {
        Config config = ConfigFiles.read(node.configFile());
        List<DeviceClass> classes = config.classes();
        Lines out = new Lines(spec.commandLine().getOut());
        if (configOnly) {
            tell(classes, out);
            out.flush();
            return ExitCode.OK;
        }
        try (Sysroot sysroot = node.open()) {
            look(sysroot.sysfs(), classes, out);
            VfsNotes.print(sysroot, config, out);
            DraNotes.of(sysroot, config, Instant.now()).forEach(out::print);
        } catch (IOException e) {
            tell(classes, out);
            out.print("note: cannot look at the node: " + e.getMessage());
        }
        out.flush();
        return ExitCode.OK;
    }

    /** Prints what is known without the node. */
    private static void tell(List<DeviceClass> classes, Lines out) {
        classes.forEach(one -> out.print(kind(one)));
        ClassNotes.of(classes).forEach(note -> out.print("note: " + note));
    }

    /** Prints nothing unless the whole look succeeds. */
    private static void look(Sysfs sysfs, List<DeviceClass> classes, Lines out) throws IOException, ConfigException {
        Inventory inventory = Inventory.scan(sysfs, classes);
        List<Candidate> candidates = Candidate.of(inventory, sysfs);
        PrepareNotes prepare = new PrepareNotes(sysfs);
        List<String> notes = new ArrayList<>(ClassNotes.of(classes));
        notes.addAll(ClassNotes.of(classes, inventory));
        List<String> warnings = new ArrayList<>();
        List<String> found = new ArrayList<>();
        for (DeviceClass one : classes) {
            List<Device> devices = candidates.stream()
                    .filter(candidate -> candidate.item().deviceClass().equals(Optional.of(one)))
                    .map(Candidate::device)
                    .toList();
            List<String> problems = devices.stream()
                    .flatMap(device -> device.health().problem().map(problem -> device.id() + ": " + problem).stream())
                    .toList();
            found.add(kind(one) + counts(devices.size(), devices.size() - problems.size()));
            problems.stream().limit(1).forEach(text -> notes.add(one.resource() + ": a device is unhealthy: " + text));
            NearMisses.ofDrivers(one, sysfs).forEach(text -> notes.add(one.resource() + ": " + text));
            prepare.of(one, devices).forEach(text -> warnings.add(one.resource() + ": " + text));
        }
        found.forEach(out::print);
        notes.forEach(note -> out.print("note: " + note));
        warnings.forEach(warning -> out.print("warning: " + warning));
        out.flush();
        NodeFit.check(classes, inventory.devices());
        NodeFit.checkPaths(classes, sysfs);
    }

    private static String kind(DeviceClass one) {
        return one.resource() + ": kind " + one.kind().word();
    }

    private static String counts(int devices, int healthy) {
        if (devices == 0) {
            return ", no devices here";
        }
        String some = ", " + devices + (devices == 1 ? " device here" : " devices here");
        return some + (healthy == devices ? ", healthy" : ", " + healthy + " healthy");
    }
}
