package io.edgeplug.cli;

import io.edgeplug.config.ConfigException;
import io.edgeplug.config.ConfigFiles;
import io.edgeplug.device.DeviceClass;
import io.edgeplug.inventory.Inventory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Reads the configuration, and looks at the node for what may be meant otherwise; changes nothing. */
@Command(
        name = "check",
        mixinStandardHelpOptions = true,
        description =
                "Check the configuration: tell every mistake in every file, or the resources that it defines, and "
                        + "note what may be meant otherwise: classes that overlap, or to which this node has no device.")
final class CheckCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Override
    public Integer call() throws ConfigException {
        List<DeviceClass> classes = ConfigFiles.read(node.configFile()).classes();
        Lines out = new Lines(spec.commandLine().getOut());
        classes.forEach(one -> out.print(one.resource() + ": kind " + one.kind().word()));
        ClassNotes.of(classes).forEach(note -> out.print("note: " + note));
        try (Sysroot sysroot = node.open()) {
            Inventory inventory = Inventory.scan(sysroot.sysfs(), classes);
            ClassNotes.of(classes, inventory).forEach(note -> out.print("note: " + note));
            out.flush();
            NodeFit.check(classes, inventory.devices());
            NodeFit.checkPaths(classes, sysroot.sysfs());
        } catch (IOException e) {
            out.print("note: cannot look at the node: " + e.getMessage());
        }
        out.flush();
        return ExitCode.OK;
    }
}
