package io.edgeplug.cli;

import io.edgeplug.cli.notes.VfsNode;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.Lines;
import io.edgeplug.cli.options.NodeOptions;
import io.edgeplug.cli.options.RunOptions;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.node.vfs.NodeVfs;
import io.edgeplug.node.vfs.PfPlan;
import io.edgeplug.node.vfs.VfsApply;
import io.edgeplug.node.vfs.VfsDeadlines;
import io.edgeplug.system.systemd.Journal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The VFs of this node's PFs: the wanted ones, and making them. */
@Command(
        name = "vfs",
        mixinStandardHelpOptions = true,
        description = "Make the virtual functions that [[vfs]] in the configuration asks for. At boot, "
                + "edgeplug-vfs.service does it before the kubelet starts.",
        subcommands = {VfsCommand.Plan.class, VfsCommand.Apply.class})
final class VfsCommand {

    /** A command for all PFs, or for those that are named. */
    abstract static class OfPfs implements Callable<Integer> {

        @Mixin
        NodeOptions node = new NodeOptions();

        @Parameters(
                paramLabel = "PF",
                description =
                        "Only these PFs, each by PCI address with or without the domain, or by network interface.")
        List<String> wanted = List.of();

        /** Prints the plans, and returns whether all of these PFs can become as wanted. */
        boolean print(Config config, List<PfPlan> plans, boolean json) throws IOException {
            List<PfPlan> named = VfsNode.named(plans, wanted);
            List<WantedVfs> idle = wanted.isEmpty() ? VfsNode.withoutPf(config.vfs(), plans) : List.of();
            if (json) {
                node.out().println(VfsText.json(named, idle));
            } else {
                VfsText.lines(named, idle, plans).forEach(node.lines()::print);
            }
            node.out().flush();
            return idle.isEmpty()
                    && named.stream().allMatch(plan -> plan.problems().isEmpty());
        }
    }

    /** Shows what {@code vfs apply} would do, and changes nothing. */
    @Command(
            name = "plan",
            mixinStandardHelpOptions = true,
            description =
                    "Show for each PF its VFs, the wanted VFs, the steps between them, the VFs that would be lost, and the "
                            + "users that prevent a step. Needs neither root nor the daemon, but only root sees which VFs "
                            + "are open through VFIO. Exit 1 if a PF cannot become as wanted, or an entry matches no PF.")
    static final class Plan extends OfPfs {

        @Option(
                names = {"-J", "--json"},
                description = "Print JSON.")
        private boolean json;

        @Override
        public Integer call() throws Exception {
            Config config = node.readOrDefaults();
            try (Sysroot sysroot = node.open()) {
                List<PfPlan> plans = VfsNode.of(sysroot, config, null).plan(config.vfs());
                VfsNode.refuseDisputes(config.vfs(), plans);
                return print(config, plans, json) ? ExitCode.OK : ExitCode.FAILURE;
            }
        }
    }

    /** Makes the wanted VFs, by hand or at boot. */
    @Command(
            name = "apply",
            mixinStandardHelpOptions = true,
            description =
                    "Make the VFs that the configuration asks for, and print each step with its time. A PF that already "
                            + "has them is left alone. So are VFs in use: a pod has them, their interface is in another "
                            + "network namespace, or they are open through VFIO. Their users are printed. Needs root. Exit "
                            + "1 if a PF is not as wanted, or an entry matches no PF.")
    static final class Apply extends OfPfs {

        @Option(
                names = RunOptions.KUBELET_DIR,
                paramLabel = "DIR",
                description = "The kubelet's directory for device plugins, instead of the one in the configuration.")
        private @Nullable Path kubeletDir;

        @Option(names = "--dry-run", description = "Only print what vfs plan prints.")
        private boolean dryRun;

        @Override
        public Integer call() throws Exception {
            Journal.toStderr(Level.WARNING);
            Config config = ConfigFiles.read(node.configFile());
            try (Sysroot sysroot = node.open()) {
                if (!dryRun && !sysroot.isThisNode()) {
                    throw new IOException(
                            node.sysroot + ": is another node, whose kernel makes no VFs here; see --dry-run");
                }
                NodeVfs vfs = VfsNode.of(sysroot, config, kubeletDir);
                List<PfPlan> plans = vfs.plan(config.vfs());
                boolean isGood = dryRun
                        ? print(config, plans, false)
                        : make(vfs, config, VfsNode.named(plans, wanted), node.lines());
                VfsNode.refuseDisputes(config.vfs(), plans);
                return isGood ? ExitCode.OK : ExitCode.FAILURE;
            }
        }

        private boolean make(NodeVfs vfs, Config config, List<PfPlan> named, Lines out)
                throws IOException, InterruptedException {
            Set<PciAddress> chosen =
                    named.stream().map(plan -> plan.pf().address()).collect(Collectors.toCollection(HashSet::new));
            VfsApply apply = new VfsApply(vfs, VfsDeadlines.USUAL, event -> print(event, out));
            boolean isGood = true;
            List<VfsApply.Outcome> outcomes = apply.apply(config.vfs(), pf -> wanted.isEmpty() || chosen.contains(pf));
            for (VfsApply.Outcome outcome : outcomes) {
                PfPlan plan = outcome.plan();
                if (outcome.isGood()) {
                    print(
                            plan.pf().name() + ": "
                                    + plan.wanted().orElseThrow().text() + (plan.isDone() ? ", as before" : ""),
                            out);
                } else {
                    isGood = false;
                    print(plan.pf().name() + ": is not as wanted: " + outcome.text(), out);
                }
            }
            return (!wanted.isEmpty() || printIdle(vfs, config, outcomes, out)) && isGood;
        }

        /** Prints the entries that made nothing, because no PF is theirs. Returns whether there are none. */
        private static boolean printIdle(NodeVfs vfs, Config config, List<VfsApply.Outcome> outcomes, Lines out)
                throws IOException, InterruptedException {
            Set<WantedVfs> served = outcomes.stream()
                    .flatMap(outcome -> outcome.plan().wanted().stream())
                    .flatMap(groups -> groups.entries().stream())
                    .collect(Collectors.toSet());
            if (served.containsAll(config.vfs())) {
                return true;
            }
            // The PFs that were there before their drivers say nothing.
            List<PfPlan> now = vfs.plan(config.vfs());
            List<WantedVfs> idle = VfsNode.withoutPf(config.vfs(), now);
            idle.forEach(entry -> print(VfsNode.subject(entry) + ": " + VfsNode.noPf(entry, now), out));
            return idle.isEmpty();
        }

        private static void print(VfsApply.Event event, Lines out) {
            print(
                    switch (event) {
                        case VfsApply.Event.StepDone done ->
                            done.pf() + VfsText.step(done.step(), 1) + ": "
                                    + done.took().toMillis() + " ms";
                        case VfsApply.Event.Waiting waiting ->
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
}
