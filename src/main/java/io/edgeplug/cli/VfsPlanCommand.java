package io.edgeplug.cli;

import io.edgeplug.cli.notes.VfsNode;
import io.edgeplug.cli.options.ExitCode;
import io.edgeplug.cli.options.Lines;
import io.edgeplug.cli.options.NodeOptions;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.node.vfs.NodeVfs;
import io.edgeplug.node.vfs.PfPlan;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows what {@code vfs apply} would do, and changes nothing. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        description =
                "Show for each PF its VFs, the wanted VFs, the steps between them, the VFs that would be lost, and the "
                        + "users that prevent a step. Needs neither root nor the daemon, but only root sees which VFs "
                        + "are open through VFIO. Exit 1 if a PF cannot become as wanted, or an entry matches no PF.")
final class VfsPlanCommand implements Callable<Integer> {

    @Mixin
    private NodeOptions node = new NodeOptions();

    @Option(
            names = {"-J", "--json"},
            description = "Print JSON.")
    private boolean json;

    @Parameters(paramLabel = VfsNode.LABEL, description = VfsNode.NAMES)
    private List<String> wanted = List.of();

    @Override
    public Integer call() throws Exception {
        Config config = node.readOrDefaults();
        try (Sysroot sysroot = node.open()) {
            NodeVfs vfs = VfsNode.of(sysroot, config);
            List<PfPlan> plans = vfs.plan(config.vfs());
            VfsNode.refuseDisputes(config.vfs(), plans);
            List<PfPlan> named = VfsNode.named(plans, wanted);
            List<WantedVfs> idle = wanted.isEmpty() ? VfsNode.withoutPf(config.vfs(), plans) : List.of();
            Lines out = node.lines();
            if (json) {
                node.out().println(VfsText.json(named, idle));
            } else {
                VfsText.lines(named).forEach(out::print);
                VfsText.lines(idle, plans).forEach(out::print);
            }
            out.flush();
            return VfsNode.isGood(named, idle) ? ExitCode.OK : ExitCode.FAILURE;
        }
    }
}
