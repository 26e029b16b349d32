package io.edgeplug.cli;

import io.edgeplug.cli.notes.ClassNotes;
import io.edgeplug.cli.notes.DraNotes;
import io.edgeplug.cli.notes.FpgaNotes;
import io.edgeplug.cli.notes.NearMisses;
import io.edgeplug.cli.notes.NodeFit;
import io.edgeplug.cli.notes.NodeNotes;
import io.edgeplug.cli.notes.PrepareNotes;
import io.edgeplug.cli.notes.RdmaNotes;
import io.edgeplug.cli.notes.ReportNotes;
import io.edgeplug.cli.notes.RuntimeNotes;
import io.edgeplug.cli.notes.VfsNode;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.Lines;
import io.edgeplug.cli.options.NodeOptions;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.supply.Candidate;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Reads the configuration, and looks at the node for likely slips. Changes nothing. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description =
                "Check the configuration. Print every mistake in every file, or else each resource with its devices on "
                        + "this node. Notes are about likely slips, such as classes that overlap or match nothing. "
                        + "Warnings are about what would fail, such as a missing image or, if pods claim devices, a "
                        + "kubeconfig that cannot be read. systemctl reload fails if there is a mistake.")
final class CheckCommand implements Callable<Integer> {

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Option(names = "--config-only", description = "Do not look at the node.")
    private boolean configOnly;

    @Parameters(
            paramLabel = "NODE",
            description = "Further nodes for --sysroot, as in --sysroot captures/*. Then there is a row for each node.")
    private List<Path> others = List.of();

    @Override
    public Integer call() throws ConfigException, InterruptedException {
        Config config = ConfigFiles.read(node.configFile());
        List<DeviceClass> classes = config.classes();
        Lines out = node.lines();
        if (!others.isEmpty()) {
            List<Path> nodes = new ArrayList<>(List.of(node.sysroot));
            nodes.addAll(others);
            return FleetCheck.print(classes, nodes, out) ? ExitCode.OK : ExitCode.FAILURE;
        }
        if (configOnly) {
            tell(classes, out);
            out.flush();
            return ExitCode.OK;
        }
        try (Sysroot sysroot = node.open()) {
            look(sysroot.sysfs(), classes, out);
            VfsNode.printNotes(sysroot, config, out);
            ReportNotes.of(sysroot.sysfs(), config).forEach(out::print);
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
        notes.addAll(ClassNotes.of(classes, inventory, sysfs));
        List<String> warnings = new ArrayList<>();
        List<String> found = new ArrayList<>();
        for (DeviceClass one : classes) {
            List<Candidate> own = candidates.stream()
                    .filter(candidate -> candidate.item().deviceClass().equals(Optional.of(one)))
                    .toList();
            List<Device> devices = own.stream().map(Candidate::device).toList();
            List<String> problems = devices.stream()
                    .flatMap(device -> device.health().problem().map(problem -> device.id() + ": " + problem).stream())
                    .toList();
            found.add(kind(one) + counts(devices.size(), devices.size() - problems.size()));
            problems.stream().limit(1).forEach(text -> notes.add(one.resource() + ": a device is unhealthy: " + text));
            RdmaNotes.of(one, devices).forEach(text -> notes.add(one.resource() + ": " + text));
            NodeNotes.of(one, own).forEach(text -> notes.add(one.resource() + ": " + text));
            FpgaNotes.of(one, inventory.devices()).forEach(text -> notes.add(one.resource() + ": " + text));
            RuntimeNotes.of(one, sysfs).forEach(text -> notes.add(one.resource() + ": " + text));
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
