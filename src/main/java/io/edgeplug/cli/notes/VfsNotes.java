package io.edgeplug.cli.notes;

import io.edgeplug.cli.options.Lines;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.node.vfs.NodeVfs;
import io.edgeplug.node.vfs.PfPlan;
import java.io.IOException;
import java.util.List;

/** Notes of {@code check} on {@code [[vfs]]}: the PFs of each entry, and those that are not as wanted. */
public final class VfsNotes {

    private VfsNotes() {}

    /**
     * Prints a line for each entry, and a note for each PF that is not as wanted.
     *
     * @throws ConfigException if two entries take one PF
     */
    public static void print(Sysroot sysroot, Config config, Lines out)
            throws IOException, InterruptedException, ConfigException {
        if (config.vfs().isEmpty()) {
            return;
        }
        NodeVfs node = VfsNode.of(sysroot, config);
        List<PfPlan> plans = node.plan(config.vfs());
        for (WantedVfs entry : config.vfs()) {
            List<PfPlan> own = plans.stream()
                    .filter(plan -> plan.wanted()
                            .filter(wanted -> wanted.entries().contains(entry))
                            .isPresent())
                    .toList();
            long done = own.stream().filter(PfPlan::isDone).count();
            String pfs = own.isEmpty()
                    ? "no PFs here"
                    : own.size()
                            + (own.size() == 1 ? " PF here, " : " PFs here, ")
                            + (done == own.size() ? "as wanted" : done + " as wanted");
            out.print(VfsNode.subject(entry) + ": " + entry.text() + ", " + pfs);
        }
        VfsNode.withoutPf(config.vfs(), plans)
                .forEach(entry -> out.print("note: " + VfsNode.subject(entry) + ": " + VfsNode.noPf(entry, plans)));
        plans.stream().filter(plan -> !plan.isDone()).forEach(plan -> out.print("note: " + note(plan)));
        out.flush();
        VfsNode.refuseDisputes(config.vfs(), plans);
    }

    private static String note(PfPlan plan) {
        String has = plan.pf().name() + ": has " + plan.pf().count() + " of "
                + plan.pf().totalVfs() + " VFs";
        return plan.problems().isEmpty()
                ? has + " and is not as wanted yet, see edgeplug vfs plan"
                : plan.pf().name() + ": " + String.join("; ", plan.problems())
                        + plan.held().stream()
                                .findFirst()
                                .map(held -> "; " + held.address() + ": " + held.holder())
                                .orElse("");
    }
}
