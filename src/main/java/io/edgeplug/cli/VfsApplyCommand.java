package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.config.ConfigFiles;
import io.edgeplug.device.PciAddress;
import io.edgeplug.linux.Journal;
import io.edgeplug.vfs.NodeVfs;
import io.edgeplug.vfs.PfPlan;
import io.edgeplug.vfs.VfsApply;
import io.edgeplug.vfs.VfsDeadlines;
import io.edgeplug.vfs.VfsEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Makes the wanted VFs, by hand or at boot. */
@Command(
        name = "apply",
        mixinStandardHelpOptions = true,
        description =
                "Make the VFs that the configuration asks for, and print each step with its time. A PF that already "
                        + "has them is left alone. So are VFs in use: a pod has them, their interface is in another "
                        + "network namespace, or they are open through VFIO. Their users are printed. Needs root. Exit "
                        + "1 if a PF is not as wanted.")
final class VfsApplyCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Option(
            names = RunOptions.KUBELET_DIR,
            paramLabel = "DIR",
            description = "The kubelet's directory for device plugins, instead of the one in the configuration.")
    private Optional<Path> kubeletDir = Optional.empty();

    @Option(names = "--dry-run", description = "Only print what vfs plan prints.")
    private boolean dryRun;

    @Parameters(paramLabel = VfsNode.LABEL, description = VfsNode.NAMES)
    private List<String> wanted = List.of();

    @Override
    public Integer call() throws Exception {
        Journal.toStderr(Level.WARNING);
        Config config = ConfigFiles.read(node.configFile());
        Lines out = new Lines(spec.commandLine().getOut());
        try (Sysroot sysroot = node.open()) {
            if (!dryRun && !sysroot.isThisNode()) {
                throw new IOException(
                        node.sysroot + ": is another node, whose kernel makes no VFs here; see --dry-run");
            }
            NodeVfs vfs = kubeletDir.isPresent()
                    ? VfsNode.of(sysroot, config, kubeletDir.orElseThrow())
                    : VfsNode.of(sysroot, config);
            List<PfPlan> plans = vfs.plan(config.vfs());
            List<PfPlan> named = VfsNode.named(plans, wanted);
            boolean isGood = dryRun ? plan(named, out) : apply(vfs, config, named, out);
            VfsNode.refuseDisputes(config.vfs(), plans);
            return isGood ? ExitCode.OK : ExitCode.FAILURE;
        }
    }

    private static boolean plan(List<PfPlan> plans, Lines out) {
        VfsText.lines(plans).forEach(out::print);
        out.flush();
        return plans.stream().allMatch(plan -> plan.problems().isEmpty());
    }

    private boolean apply(NodeVfs vfs, Config config, List<PfPlan> named, Lines out)
            throws IOException, InterruptedException {
        Set<PciAddress> chosen =
                named.stream().map(plan -> plan.pf().address()).collect(Collectors.toCollection(HashSet::new));
        VfsApply apply = new VfsApply(vfs, VfsDeadlines.USUAL, event -> print(event, out));
        boolean isGood = true;
        for (VfsApply.Outcome outcome : apply.apply(config.vfs(), pf -> wanted.isEmpty() || chosen.contains(pf))) {
            PfPlan plan = outcome.plan();
            if (outcome.isGood()) {
                print(
                        plan.pf().name() + ": " + plan.wanted().orElseThrow().text()
                                + (plan.isDone() ? ", as before" : ""),
                        out);
            } else {
                isGood = false;
                print(plan.pf().name() + ": is not as wanted: " + outcome.text(), out);
            }
        }
        return isGood;
    }

    private static void print(VfsEvent event, Lines out) {
        print(
                switch (event) {
                    case VfsEvent.StepDone done ->
                        done.pf() + VfsText.step(done.step(), 1) + ": "
                                + done.took().toMillis() + " ms";
                    case VfsEvent.Waiting waiting ->
                        waiting.pf() + VfsText.step(waiting.step(), 1) + ": takes "
                                + waiting.since().toSeconds() + " s so far";
                },
                out);
    }

    /** PFs are made on several threads. */
    private static void print(String line, Lines out) {
        synchronized (out) {
            out.print(line);
            out.flush();
        }
    }
}
