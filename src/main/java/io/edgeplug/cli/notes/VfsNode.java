package io.edgeplug.cli.notes;

import io.edgeplug.cli.options.Lines;
import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.model.rules.WantedVfs;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.node.vfs.NodeVfs;
import io.edgeplug.node.vfs.PfPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The PFs of the node that a command looks at, and their names. */
public final class VfsNode {

    private VfsNode() {}

    /** Programs run only for this node, because they would report this node's kernel for any other node too. */
    public static NodeVfs of(Sysroot sysroot, NodeVfs.@Nullable Kubelet kubelet) throws IOException {
        return new NodeVfs(sysroot.sysfs(), sysroot.isThisNode() ? sysroot.root() : null, kubelet);
    }

    /** A node with the kubelet of that configuration, or with another directory for device plugins. */
    public static NodeVfs of(Sysroot sysroot, Config config, @Nullable Path kubeletDir) throws IOException {
        if (kubeletDir != null) {
            Path registeredIn =
                    config.registration() == Config.Registration.DEVICE_PLUGINS ? kubeletDir : config.registeredIn();
            return of(sysroot, new NodeVfs.Kubelet(kubeletDir, config.kubeletRoot(registeredIn)));
        }
        Optional<Path> pluginDir = sysroot.kubeletDir(config.kubeletDir());
        Optional<Path> root = sysroot.kubeletDir(config.kubeletRoot(config.registeredIn()));
        return of(
                sysroot,
                pluginDir
                        .flatMap(directory -> root.map(parent -> new NodeVfs.Kubelet(directory, parent)))
                        .orElse(null));
    }

    /** A PF that two entries take is a mistake in the configuration that only the node shows. */
    public static void refuseDisputes(List<WantedVfs> entries, List<PfPlan> plans) throws ConfigException {
        List<String> disputes = NodeVfs.disputes(entries, plans);
        if (!disputes.isEmpty()) {
            throw new ConfigException(disputes);
        }
    }

    /** The entries that take none of these PFs. A PF that cannot be read may be the one of any entry. */
    public static List<WantedVfs> withoutPf(List<WantedVfs> entries, List<PfPlan> plans) {
        return plans.stream().allMatch(PfPlan::isRead)
                ? entries.stream()
                        .filter(entry -> plans.stream()
                                .noneMatch(plan -> entry.takes(plan.pf().device())))
                        .toList()
                : List.of();
    }

    /** The subject of a line about an entry. */
    public static String subject(WantedVfs entry) {
        return "[[vfs]] in " + entry.place();
    }

    /** Why an entry makes nothing, with the PFs that it could name. */
    public static String noPf(WantedVfs entry, List<PfPlan> plans) {
        List<String> here = plans.stream().map(plan -> plan.pf().name()).toList();
        return "no PF matches " + entry.match().text() + "; this node has "
                + (here.isEmpty()
                        ? "no PF, see whether SR-IOV is on in the BIOS and the firmware"
                        : ClassNotes.some(here));
    }

    /** The plans of the named PFs; all if there is no name. */
    public static List<PfPlan> named(List<PfPlan> plans, List<String> names) throws IOException {
        List<PfPlan> found = new ArrayList<>();
        for (String name : names) {
            List<PfPlan> some =
                    plans.stream().filter(plan -> isCalled(plan.pf(), name)).toList();
            if (some.isEmpty()) {
                throw new IOException(name + ": no PF here has that address or interface");
            }
            found.addAll(some);
        }
        return names.isEmpty() ? plans : plans.stream().filter(found::contains).toList();
    }

    private static boolean isCalled(PhysicalFunction pf, String name) {
        String address = pf.address().toString();
        return address.equalsIgnoreCase(name)
                || address.equalsIgnoreCase("0000:" + name)
                || pf.device().function().allNetNames().contains(name);
    }

    /**
     * Prints for {@code check} a line for each entry, and a note for each PF that is not as wanted.
     *
     * @throws ConfigException if two entries take one PF
     */
    public static void printNotes(Sysroot sysroot, Config config, Lines out)
            throws IOException, InterruptedException, ConfigException {
        if (config.vfs().isEmpty()) {
            return;
        }
        NodeVfs node = of(sysroot, config, null);
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
            out.print(subject(entry) + ": " + entry.text() + ", " + pfs);
        }
        List<WantedVfs> idle = withoutPf(config.vfs(), plans);
        if (!idle.isEmpty()) {
            PfNames names =
                    new PfNames(Inventory.scan(sysroot.sysfs(), List.of()).devices(), sysroot.sysfs());
            idle.forEach(entry -> {
                out.print("note: " + subject(entry) + ": " + noPf(entry, plans));
                names.of(entry.match()).forEach(text -> out.print("note: " + subject(entry) + ": " + text));
            });
        }
        plans.stream().filter(plan -> !plan.isDone()).forEach(plan -> out.print("note: " + note(plan)));
        out.flush();
        refuseDisputes(config.vfs(), plans);
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
