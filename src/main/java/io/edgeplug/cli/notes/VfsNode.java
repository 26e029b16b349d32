package io.edgeplug.cli.notes;

import io.edgeplug.cli.options.Sysroot;
import io.edgeplug.model.config.Config;
import io.edgeplug.model.config.ConfigException;
import io.edgeplug.model.device.PhysicalFunction;
import io.edgeplug.model.rules.WantedVfs;
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

    /** The parameter for PFs, in help. */
    public static final String LABEL = "PF";

    public static final String NAMES =
            "Only these PFs, each by PCI address with or without the domain, or by network interface.";

    private VfsNode() {}

    /** Programs run only for this node, because they would report this node's kernel for any other node too. */
    public static NodeVfs of(Sysroot sysroot, NodeVfs.@Nullable Kubelet kubelet) throws IOException {
        return new NodeVfs(sysroot.sysfs(), sysroot.isThisNode() ? sysroot.root() : null, kubelet);
    }

    /** With the kubelet of that configuration. */
    public static NodeVfs of(Sysroot sysroot, Config config) throws IOException {
        Optional<Path> pluginDir = sysroot.kubeletDir(config.kubeletDir());
        Optional<Path> root = sysroot.kubeletDir(kubeletRoot(config, config.kubeletDir()));
        return of(
                sysroot,
                pluginDir
                        .flatMap(directory -> root.map(parent -> new NodeVfs.Kubelet(directory, parent)))
                        .orElse(null));
    }

    /** With the kubelet of that configuration, but another directory for device plugins. */
    public static NodeVfs of(Sysroot sysroot, Config config, Path kubeletDir) throws IOException {
        return of(sysroot, new NodeVfs.Kubelet(kubeletDir, kubeletRoot(config, kubeletDir)));
    }

    private static Path kubeletRoot(Config config, Path kubeletDir) {
        Path registeredIn = config.registration() == Config.Registration.PLUGINS_REGISTRY
                ? config.pluginsRegistryDir()
                : kubeletDir;
        return config.kubeletRoot().orElse(registeredIn.toAbsolutePath().resolveSibling(""));
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

    /** Whether all of these can become as wanted. */
    public static boolean isGood(List<PfPlan> plans, List<WantedVfs> withoutPf) {
        return withoutPf.isEmpty()
                && plans.stream().allMatch(plan -> plan.problems().isEmpty());
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
}
