package io.edgeplug.node.supply;

import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.Allocation.Mount;
import io.edgeplug.node.container.Allocation.Node;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.FileKind;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Replaces mounts of device nodes by devices. The device cgroup of a container knows only devices, so a node that is
 * merely mounted cannot be opened. A directory stands for the nodes in it now, also those that its links lead to.
 *
 * <p>Only paths in {@code /dev} are looked at, which the kernel keeps in memory. Other file systems in there, such as
 * {@code /dev/shm}, are mounted as they are. An object is for one round of looks, and looks at each path once.
 */
final class MountedNodes {

    /** A container gets no more nodes of one directory. The kubelet stores each of them. */
    static final int MAX_NODES = 256;

    private static final String READ_ONLY = "r";
    private static final String READ_WRITE = "rw";

    private final Sysfs sysfs;
    private final DeviceClass deviceClass;
    private final Consumer<String> listener;
    private final Map<String, Found> known = new HashMap<>();

    /**
     * A look at the nodes that devices of a class bring.
     *
     * @param listener gets each directory before it is listed
     */
    MountedNodes(Sysfs sysfs, DeviceClass deviceClass, Consumer<String> listener) {
        this.sysfs = sysfs;
        this.deviceClass = deviceClass;
        this.listener = listener;
    }

    /** What is at the path of a mount. */
    private static final class Found {

        /** By the rest of their path, where their nodes are; only this mount's own with an empty rest. */
        private final Map<String, String> nodes = new TreeMap<>();

        private final Set<String> directories = new LinkedHashSet<>();

        /** Whether the mount has anything that is no node. */
        private boolean hasOthers;
    }

    /** What a device brings, with devices in place of mounted nodes. */
    Equipment open(Equipment equipment) {
        if (equipment.mounts().stream().noneMatch(mount -> isNear(mount.hostPath()))) {
            return equipment;
        }
        Map<String, Node> nodes = new LinkedHashMap<>();
        equipment.nodes().forEach(node -> nodes.put(node.containerPath(), node));
        List<Mount> mounts = new ArrayList<>();
        Set<String> directories = new LinkedHashSet<>();
        Optional<String> problem = equipment.problem();
        for (Mount mount : equipment.mounts()) {
            Found found = isNear(mount.hostPath()) ? known.computeIfAbsent(mount.hostPath(), this::look) : new Found();
            directories.addAll(found.directories);
            if (found.nodes.size() > MAX_NODES) {
                problem = problem.or(() -> Optional.of("its directory " + mount.hostPath() + " has more than the "
                        + MAX_NODES + " device nodes that a container can get of it"));
            } else {
                String permissions = permissions(equipment, mount);
                found.nodes.forEach((rest, host) -> nodes.putIfAbsent(
                        mount.containerPath() + rest, new Node(host, mount.containerPath() + rest, permissions)));
            }
            if (found.nodes.isEmpty() || found.hasOthers) {
                mounts.add(mount);
            }
        }
        return equipment.opened(List.copyOf(nodes.values()), mounts, directories, problem.orElse(null));
    }

    private static boolean isNear(String path) {
        return (path + "/").startsWith(HostFiles.DEV);
    }

    /** The device's own directory is handed over as its files are, and a mount says itself whether it can be written. */
    private String permissions(Equipment equipment, Mount mount) {
        boolean isOwn = equipment.device() instanceof PathDevice device
                && device.files().stream().anyMatch(file -> file.hostPath().equals(mount.hostPath()));
        return isOwn
                ? deviceClass.container().permissions().orElse(READ_WRITE)
                : mount.readOnly() ? READ_ONLY : READ_WRITE;
    }

    /** A path that cannot be looked at stays a mount, which the look at mounts will report. */
    private Found look(String path) {
        Found found = new Found();
        try {
            Optional<Destination> there = trusted(path);
            if (there.filter(one -> one.kind().isNode()).isPresent()) {
                found.nodes.put("", there.orElseThrow().path());
            } else if (there.filter(this::isOfDev).isPresent()) {
                list(path, "", there.orElseThrow().device(), found);
            }
        } catch (IOException e) {
            found.nodes.clear();
            found.hasOthers = true;
        }
        return found;
    }

    private Optional<Destination> trusted(String path) throws IOException {
        return sysfs.follow(path.substring(1))
                .filter(there ->
                        there.distrust(deviceClass.trustOwner().orElse(null)).isEmpty());
    }

    /** Whether it is a directory on the file system of {@code /dev}. */
    private boolean isOfDev(Destination there) {
        try {
            return there.kind() == FileKind.DIRECTORY
                    && isNear(there.path())
                    && sysfs.follow("dev")
                            .filter(dev -> dev.device() == there.device())
                            .isPresent();
        } catch (IOException e) {
            return false;
        }
    }

    private void list(String path, String rest, long fileSystem, Found found) throws IOException {
        String directory = path + rest;
        found.directories.add(directory);
        listener.accept(directory);
        for (String name : sysfs.names(directory.substring(1))) {
            String inner = rest + "/" + name;
            Optional<Destination> there = ofEntry(path + inner);
            boolean isDirectory =
                    there.filter(one -> one.kind() == FileKind.DIRECTORY).isPresent();
            if (there.filter(one -> one.kind().isNode()).isPresent()) {
                found.nodes.put(inner, there.orElseThrow().path());
            } else if (!isDirectory) {
                found.hasOthers |= there.isPresent();
            } else if (there.orElseThrow().device() == fileSystem && !isLink(path + inner)) {
                list(path, inner, fileSystem, found);
            }
            if (found.nodes.size() > MAX_NODES) {
                return;
            }
        }
    }

    /** An entry that cannot be looked at, such as a link in a loop, does not hide the others. */
    private Optional<Destination> ofEntry(String path) {
        try {
            return trusted(path);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private boolean isLink(String path) throws IOException {
        return sysfs.linkTarget(path.substring(1)).isPresent();
    }
}
