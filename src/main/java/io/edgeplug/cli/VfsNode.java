package io.edgeplug.cli;

import io.edgeplug.config.Config;
import io.edgeplug.config.ConfigException;
import io.edgeplug.device.PhysicalFunction;
import io.edgeplug.rules.WantedVfs;
import io.edgeplug.vfs.NodeVfs;
import io.edgeplug.vfs.PfPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The PFs of the node that a command looks at, and their names. */
final class VfsNode {

    /** The parameter for PFs, in help. */
    static final String LABEL = "PF";

    static final String NAMES =
            "Only these PFs, each by PCI address with or without the domain, or by network interface.";

    private VfsNode() {}

    /** Programs run only for this node, because they would report this node's kernel for any other node too. */
    static NodeVfs of(Sysroot sysroot, Optional<NodeVfs.Kubelet> kubelet) throws IOException {
        return new NodeVfs(
                sysroot.sysfs(), sysroot.isThisNode() ? Optional.of(sysroot.root()) : Optional.empty(), kubelet);
    }

    /** With the kubelet of that configuration. */
    static NodeVfs of(Sysroot sysroot, Config config) throws IOException {
        Optional<Path> pluginDir = sysroot.kubeletDir(config.kubeletDir());
        Optional<Path> root = sysroot.kubeletDir(kubeletRoot(config, config.kubeletDir()));
        return of(sysroot, pluginDir.flatMap(directory -> root.map(parent -> new NodeVfs.Kubelet(directory, parent))));
    }

    /** With the kubelet of that configuration, but another directory for device plugins. */
    static NodeVfs of(Sysroot sysroot, Config config, Path kubeletDir) throws IOException {
        return of(sysroot, Optional.of(new NodeVfs.Kubelet(kubeletDir, kubeletRoot(config, kubeletDir))));
    }

    private static Path kubeletRoot(Config config, Path kubeletDir) {
        Path registeredIn = config.registration() == Config.Registration.PLUGINS_REGISTRY
                ? config.pluginsRegistryDir()
                : kubeletDir;
        return config.kubeletRoot().orElse(registeredIn.toAbsolutePath().resolveSibling(""));
    }

    /** A PF that two entries take is a mistake in the configuration that only the node shows. */
    static void refuseDisputes(List<WantedVfs> entries, List<PfPlan> plans) throws ConfigException {
        List<String> disputes = NodeVfs.disputes(entries, plans);
        if (!disputes.isEmpty()) {
            throw new ConfigException(disputes);
        }
    }

    /** The plans of the named PFs; all if there is no name. */
    static List<PfPlan> named(List<PfPlan> plans, List<String> names) throws IOException {
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
                || pf.device().function().netNames().contains(name);
    }
}
