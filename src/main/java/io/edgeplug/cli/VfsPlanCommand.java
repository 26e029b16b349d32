package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.vfs.NodeVfs;
import io.edgeplug.vfs.PfPlan;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows what {@code vfs apply} would do, and changes nothing. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        description =
                "Show for each PF its VFs, the wanted VFs, the steps between them, the VFs that would be lost, and the "
                        + "users that prevent a step. Needs neither root nor the daemon, but only root sees which VFs "
                        + "are open through VFIO. Exit 1 if a PF cannot become as wanted.")
final class VfsPlanCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

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
            Lines out = new Lines(spec.commandLine().getOut());
            if (json) {
                spec.commandLine().getOut().println(VfsText.json(named));
            } else {
                VfsText.lines(named).forEach(out::print);
            }
            out.flush();
            return named.stream().allMatch(plan -> plan.problems().isEmpty()) ? ExitCode.OK : ExitCode.FAILURE;
        }
    }
}
