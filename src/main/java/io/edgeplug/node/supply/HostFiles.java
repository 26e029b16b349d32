package io.edgeplug.node.supply;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.Allocation.Mount;
import io.edgeplug.node.container.Allocation.Node;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.node.scan.ChangeNote;
import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.FarPathException;
import io.edgeplug.system.files.FileKind;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the files of the node that containers get, without opening them. A container runtime would make an empty
 * directory in place of a missing file.
 */
final class HostFiles {

    static final String DEV = "/dev/";

    private static final String RDMA_STAYS =
            "its RDMA device would stay on the node while [class.interface] moves its network interface: this node has"
                    + " exclusive RDMA namespaces, put \"options ib_core netns_mode=1\" into /etc/modprobe.d and boot";

    /** The service sees other files in these places than containers do: see PrivateTmp and ProcSubset in its unit. */
    private static final List<String> UNSEEN = List.of("/tmp/", "/var/tmp/", "/proc/");

    private final Sysfs sysfs;

    /** The same, for looks that must return at once. */
    private final Sysfs near;

    private final FarLooks far = new FarLooks();

    /** Null on a captured node. It has no device nodes at all, and then none counts as missing. */
    private final @Nullable FileKind devNull;

    /** A user who, beside root, may decide which file is at a path. */
    private final @Nullable String trustOwner;

    private final Predicate<Device> isPrepared;

    /** Whether RDMA devices would stay on the node while the interfaces of the class go into pods. */
    private final boolean separatesRdma;

    /**
     * The files of that node for a class.
     *
     * @param isPrepared whether a device is being prepared, during which its nodes come and go
     */
    HostFiles(Sysfs sysfs, DeviceClass deviceClass, Predicate<Device> isPrepared) {
        this.sysfs = sysfs;
        this.near = sysfs.nearOnly();
        this.devNull = devNull(sysfs);
        this.trustOwner = deviceClass.trustOwner().orElse(null);
        this.isPrepared = isPrepared;
        this.separatesRdma = deviceClass.recipe().movedInterface().isPresent() && isRdmaExclusive(sysfs);
    }

    /** The mode belongs to the whole node, and is almost always set at boot. */
    private static boolean isRdmaExclusive(Sysfs sysfs) {
        try {
            return sysfs.read("sys/module/ib_core/parameters/netns_mode")
                    .filter(text -> text.equals("N") || text.equals("0"))
                    .isPresent();
        } catch (IOException e) {
            return false;
        }
    }

    private static @Nullable FileKind devNull(Sysfs sysfs) {
        try {
            return sysfs.kind("dev/null").orElse(null);
        } catch (IOException e) {
            return FileKind.CHARACTER_DEVICE;
        }
    }

    /**
     * The result of a look at a device's files.
     *
     * @param problem why the device cannot be handed over now, for a person; the daemon and commands report it as the
     *     device's problem
     * @param replaced the file that is not the scanned one any more: its path leads elsewhere, or it was replaced
     */
    record Finding(Optional<String> problem, Optional<String> replaced) {

        static Finding problem(String problem) {
            return new Finding(Optional.of(problem), Optional.empty());
        }
    }

    /** Looks at everything that a device brings, at each path once. Waits, up to a deadline, for a look that may hang. */
    Finding look(Equipment equipment) {
        return look(equipment, tree -> finding(equipment, tree));
    }

    /**
     * The same without waiting.
     *
     * @throws FarPathException if a look may hang
     */
    Finding lookAtOnce(Equipment equipment) {
        return finding(equipment, near);
    }

    private Finding finding(Equipment equipment, Sysfs tree) {
        if (equipment.problem().isPresent()) {
            return new Finding(equipment.problem(), Optional.empty());
        }
        if (separatesRdma && !equipment.device().rdmaDevices().isEmpty()) {
            return Finding.problem(RDMA_STAYS);
        }
        Ways ways = new Ways(tree);
        Optional<String> problem = isPrepared.test(equipment.device()) ? Optional.empty() : missing(equipment, ways);
        return new Finding(problem, replaced(equipment, ways));
    }

    private Optional<String> missing(Equipment equipment, Ways ways) {
        return badNode(equipment)
                .or(() -> badFile(equipment, ways))
                .or(() -> badMount(equipment.mountsBeforehand(), ways));
    }

    /** The mount that should exist after the preparation and is missing. */
    Optional<String> missingAfterwards(Equipment equipment) {
        return look(
                        equipment,
                        tree -> new Finding(badMount(equipment.mountsAfterwards(), new Ways(tree)), Optional.empty()))
                .problem();
    }

    private static Optional<String> replaced(Equipment equipment, Ways ways) {
        if (equipment.device() instanceof PathDevice device) {
            for (PathDevice.File file : device.files()) {
                if (!ways.destination(file).equals(file.found())) {
                    return Optional.of("its file " + file.path() + " was replaced since edgeplug looked at it");
                }
            }
        }
        return Optional.empty();
    }

    /** Runs work with looks that may hang, see {@link FarLooks#run}. */
    void run(Runnable work, Consumer<FarLooks.Late> late) {
        far.run(work, late);
    }

    /** The result of a look: here, or by a thread that may be lost if it may hang. */
    private Finding look(Equipment equipment, Function<Sysfs, Finding> look) {
        try {
            return look.apply(near);
        } catch (FarPathException e) {
            return far.look(equipment.id(), () -> look.apply(sysfs), Finding::problem);
        }
    }

    private Optional<String> badNode(Equipment equipment) {
        for (Node node : equipment.nodesBeforehand()) {
            Optional<String> problem = node.hostPath().startsWith(DEV) ? badNode(node.hostPath()) : Optional.empty();
            if (problem.isPresent()) {
                // An edgeplug process is changing the device, so its nodes may come and go.
                return ChangeNote.concerns(sysfs, equipment.device()) ? Optional.empty() : problem;
            }
        }
        return Optional.empty();
    }

    private Optional<String> badNode(String path) {
        if (devNull == null) {
            return Optional.empty();
        }
        FileKind kind = kind(path).orElse(null);
        if (kind == null) {
            return Optional.of("its node " + path + " is not there");
        }
        // On a simulated node, all device nodes are files.
        boolean canBe = kind.isNode() || (kind == FileKind.FILE && devNull == FileKind.FILE);
        return canBe ? Optional.empty() : Optional.of("its node " + path + " is " + kind);
    }

    private Optional<String> badFile(Equipment equipment, Ways ways) {
        if (equipment.device() instanceof PathDevice device) {
            for (PathDevice.File file : device.files()) {
                Optional<String> problem = badFile(file, ways);
                if (problem.isPresent()) {
                    return problem;
                }
            }
        }
        return Optional.empty();
    }

    /** A file that the scan has not found either already makes the device unhealthy. */
    private Optional<String> badFile(PathDevice.File file, Ways ways) {
        Optional<FileKind> was = file.kind();
        Optional<Destination> now = ways.destination(file);
        if (was.isPresent() && now.isEmpty()) {
            return Optional.of("its file " + file.path() + " is not there");
        }
        return now.flatMap(
                there -> was.flatMap(kind -> file.change(kind, there.kind())).or(() -> there.distrust(trustOwner)));
    }

    private Optional<String> badMount(Collection<Mount> mounts, Ways ways) {
        for (Mount mount : mounts) {
            Optional<String> problem = isSeen(mount.hostPath()) ? badMount(mount.hostPath(), ways) : Optional.empty();
            if (problem.isPresent()) {
                return problem;
            }
        }
        return Optional.empty();
    }

    private boolean isSeen(String path) {
        return devNull != null && UNSEEN.stream().noneMatch(path::startsWith);
    }

    private Optional<String> badMount(String path, Ways ways) {
        Optional<Destination> found = ways.destination(path);
        return found.isEmpty()
                ? Optional.of("its mount " + path + " is not there")
                : found.flatMap(there -> there.distrust(trustOwner))
                        .map(problem -> "its mount " + path + " is not trusted: " + problem);
    }

    /** Where paths lead. Each path is followed once. */
    private final class Ways {

        private final Sysfs tree;
        private final Map<String, Optional<Destination>> known = new HashMap<>();

        Ways(Sysfs tree) {
            this.tree = tree;
        }

        Optional<Destination> destination(String path) {
            return known.computeIfAbsent(path, this::follow);
        }

        /** That of the scan, if it is the same. */
        Optional<Destination> destination(PathDevice.File file) {
            return known.computeIfAbsent(file.path(), path -> isStill(file) ? file.found() : follow(path));
        }

        private boolean isStill(PathDevice.File file) {
            far.at(file.path());
            try {
                return file.found().isPresent()
                        && tree.isStill(file.path(), file.found().orElseThrow());
            } catch (IOException e) {
                return false;
            }
        }

        private Optional<Destination> follow(String path) {
            far.at(path);
            try {
                return tree.follow(path.substring(1));
            } catch (IOException e) {
                return Optional.empty();
            }
        }
    }

    /** A file that cannot be looked at is of no use to a container. */
    private Optional<FileKind> kind(String path) {
        far.at(path);
        try {
            return sysfs.kind(path.substring(1));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
