package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.config.ConfigFiles;
import io.edgeplug.linux.Journal;
import io.edgeplug.rules.DeviceClass;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prepares a device by hand as before each of its containers, or scrubs it as after the last pod that used it. */
@Command(
        name = "prepare",
        mixinStandardHelpOptions = true,
        description = "Prepare a device as its class does before each container, and print each step with its time. "
                + "Needs root. Refuses a device that a pod may hold by the kubelet's notes.")
final class PrepareCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Option(
            names = RunOptions.KUBELET_DIR,
            paramLabel = "DIR",
            description = "The kubelet's directory for device plugins, instead of the one in the configuration.")
    private Optional<Path> kubeletDir = Optional.empty();

    @Option(
            names = "--dry-run",
            description = "Only print what would be done, and what prevents it. Exit 1 if anything does.")
    private boolean dryRun;

    @Option(names = "--force", description = "Prepare the device even if a pod may hold it.")
    private boolean force;

    @Option(
            names = "--release",
            description = "Scrub the device as its class does after the last pod that used it, and offer it again.")
    private boolean release;

    @Option(
            names = "--forget",
            description =
                    "Only delete the note that the device must be scrubbed because a pod has used it. For a device "
                            + "that was removed for good.")
    private boolean forget;

    @Option(
            names = "--as",
            paramLabel = "RESOURCE",
            description =
                    "Use the class of this resource, if several classes offer the device. Defaults to the first of "
                            + "them, and with --release to the one as which the device was used.")
    private Optional<String> resource = Optional.empty();

    @Parameters(paramLabel = "DEVICE", description = "The device, by " + ScannedNode.NAMES + ".")
    private String id = "";

    @Override
    public Integer call() throws Exception {
        Journal.toStderr(Level.WARNING);
        if (forget && (release || resource.isPresent())) {
            throw new ParameterException(spec.commandLine(), "--forget cannot be combined with --release or --as");
        }
        Config config = ConfigFiles.read(node.configFile());
        if (!dryRun && !Files.isDirectory(node.sysroot)) {
            throw new IOException(node.sysroot + ": is no node, so nothing can be done to its devices; see --dry-run");
        }
        try (Sysroot sysroot = node.open()) {
            ByHand byHand = new ByHand(
                    sysroot.sysfs(),
                    kubeletDir.isPresent() ? kubeletDir : sysroot.kubeletDir(config.kubeletDir()),
                    new Lines(spec.commandLine().getOut()));
            if (forget) {
                return forget(byHand, config.classes()) ? ExitCode.OK : ExitCode.FAILURE;
            }
            ByHand.Errand errand = new ByHand.Errand(release, resource);
            if (dryRun) {
                return byHand.plan(config.classes(), id, errand) ? ExitCode.OK : ExitCode.FAILURE;
            }
            byHand.perform(config.classes(), id, errand, force);
            return ExitCode.OK;
        }
    }

    private boolean forget(ByHand byHand, List<DeviceClass> classes) throws IOException {
        if (dryRun) {
            return byHand.planForget(classes, id);
        }
        byHand.forget(classes, id, force);
        return true;
    }
}
