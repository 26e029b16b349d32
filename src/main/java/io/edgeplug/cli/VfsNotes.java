package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.config.ConfigException;
import io.edgeplug.rules.WantedVfs;
import io.edgeplug.vfs.NodeVfs;
import io.edgeplug.vfs.PfPlan;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Notes of {@code check} on {@code [[vfs]]}: the PFs of each entry, and those that are not as wanted. */
final class VfsNotes {

    private VfsNotes() {}

    /**
     * Prints a line for each entry, and a note for each PF that is not as wanted.
     *
     * @throws ConfigException if two entries take one PF
     */
    static void print(Sysroot sysroot, Config config, Lines out)
            throws IOException, InterruptedException, ConfigException {
        if (config.vfs().isEmpty()) {
            return;
        }
        NodeVfs node = VfsNode.of(sysroot, config);
        List<PfPlan> plans = node.plan(config.vfs());
        for (WantedVfs entry : config.vfs()) {
            List<PfPlan> own = plans.stream()
                    .filter(plan -> plan.wanted().equals(Optional.of(entry)))
                    .toList();
            long done = own.stream().filter(PfPlan::isDone).count();
            String pfs = own.isEmpty()
                    ? "no PFs here"
                    : own.size()
                            + (own.size() == 1 ? " PF here, " : " PFs here, ")
                            + (done == own.size() ? "as wanted" : done + " as wanted");
            out.print("[[vfs]] in " + entry.place() + ": " + entry.text() + ", " + pfs);
        }
        plans.stream().filter(plan -> !plan.isDone()).forEach(plan -> out.print("note: " + note(plan)));
        out.flush();
        VfsNode.refuseDisputes(config.vfs(), plans);
    }

    private static String note(PfPlan plan) {
        String has = plan.pf().name() + ": has " + plan.pf().count() + " of "
                + plan.pf().totalVfs() + " VFs";
        return plan.problems().isEmpty()
                ? has + " and is not as wanted yet, see edgeplug vfs plan"
                : plan.pf().name() + ": " + String.join("; ", plan.problems());
    }
}
