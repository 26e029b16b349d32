package io.edgeplug.cli;

import io.edgeplug.cli.devices.ScannedNode;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.NodeOptions;
import io.edgeplug.cli.options.RunOptions;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.system.systemd.Journal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prepares a device by hand as before each of its containers, or scrubs it as after the last pod that used it. */
@Command(
        name = "prepare",
        mixinStandardHelpOptions = true,
        description = "Prepare a device as its class does before each container, and print each step with its time. "
                + "Needs root. Refuses a device that a pod may hold by the kubelet's notes.")
final class PrepareCommand implements Callable<Integer> {

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Option(
            names = RunOptions.KUBELET_DIR,
            paramLabel = "DIR",
            description = "The kubelet's directory for device plugins, instead of the one in the configuration.")
    private @Nullable Path kubeletDir;

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
    private @Nullable String resource;

    @Parameters(paramLabel = "DEVICE", description = "The device, by " + ScannedNode.NAMES + ".")
    private String id = "";

    @Override
    public Integer call() throws Exception {
        Journal.toStderr(Level.WARNING);
        if (forget && (release || resource != null)) {
            throw node.wrongUsage("--forget cannot be combined with --release or --as");
        }
        Config config = ConfigFiles.read(node.configFile());
        if (!dryRun && !Files.isDirectory(node.sysroot)) {
            throw new IOException(node.sysroot + ": is no node, so nothing can be done to its devices; see --dry-run");
        }
        try (Sysroot sysroot = node.open()) {
            ByHand byHand = new ByHand(
                    sysroot.sysfs(),
                    kubeletDir != null
                            ? kubeletDir
                            : sysroot.kubeletDir(config.kubeletDir()).orElse(null),
                    node.lines());
            if (forget) {
                return forget(byHand, config.classes()) ? ExitCode.OK : ExitCode.FAILURE;
            }
            ByHand.Errand errand = new ByHand.Errand(release, Optional.ofNullable(resource));
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
