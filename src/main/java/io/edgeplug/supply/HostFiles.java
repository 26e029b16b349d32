package io.edgeplug.supply;

import io.edgeplug.container.Allocation.Mount;
import io.edgeplug.container.Allocation.Node;
import io.edgeplug.container.Equipment;
import io.edgeplug.device.Device;
import io.edgeplug.device.PathDevice;
import io.edgeplug.linux.Destination;
import io.edgeplug.linux.FileKind;
import io.edgeplug.linux.Sysfs;
import io.edgeplug.rules.DeviceClass;
import io.edgeplug.scan.ChangeNote;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Looks at the files of the node that containers get, without opening them. A container runtime would make an empty
 * directory in place of a missing file.
 */
final class HostFiles {

    static final String DEV = "/dev/";

    /** The service sees other files in these places than containers do: see PrivateTmp and ProcSubset in its unit. */
    private static final List<String> UNSEEN = List.of("/tmp/", "/var/tmp/", "/proc/");

    /** A look returns at once here, because the kernel keeps these file systems in memory. */
    private static final List<String> NEAR = List.of(DEV, "/sys/", "/run/");

    private final Sysfs sysfs;
    private final FarLooks far = new FarLooks();

    /** Empty on a captured node. It has no device nodes at all, and then none counts as missing. */
    private final Optional<FileKind> devNull;

    /** A user who, beside root, may decide which file is at a path. */
    private final Optional<String> trustOwner;

    private final Predicate<Device> isPrepared;

    /** Whether any device has had files whose look may hang. */
    private volatile boolean isFar;

    private HostFiles(
            Sysfs sysfs, Optional<FileKind> devNull, Optional<String> trustOwner, Predicate<Device> isPrepared) {
        this.sysfs = sysfs;
        this.devNull = devNull;
        this.trustOwner = trustOwner;
        this.isPrepared = isPrepared;
    }

    /**
     * The files of that node for a class.
     *
     * @param isPrepared whether a device is being prepared, during which its nodes come and go
     */
    static HostFiles of(Sysfs sysfs, DeviceClass deviceClass, Predicate<Device> isPrepared) {
        Optional<FileKind> devNull;
        try {
            devNull = sysfs.kind("dev/null");
        } catch (IOException e) {
            devNull = Optional.of(FileKind.CHARACTER_DEVICE);
        }
        return new HostFiles(sysfs, devNull, deviceClass.trustOwner(), isPrepared);
    }

    /** Whether it has files whose look may hang, by their paths or by the paths that these led to. */
    private static boolean isFar(Equipment equipment) {
        Stream<String> files = equipment.device() instanceof PathDevice device
                ? device.files().stream().flatMap(file -> Stream.of(file.path(), file.hostPath()))
                : Stream.empty();
        return Stream.concat(files, equipment.mounts().stream().map(Mount::hostPath))
                .anyMatch(path -> Stream.concat(NEAR.stream(), UNSEEN.stream()).noneMatch(path::startsWith));
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

    /** Looks at everything that a device brings, at each path once. */
    Finding look(Equipment equipment) {
        if (equipment.problem().isPresent()) {
            return new Finding(equipment.problem(), Optional.empty());
        }
        boolean isInPreparation = isPrepared.test(equipment.device());
        return look(equipment, () -> {
            Ways ways = new Ways();
            Optional<String> problem = isInPreparation ? Optional.empty() : missing(equipment, ways);
            return new Finding(problem, replaced(equipment, ways));
        });
    }

    private Optional<String> missing(Equipment equipment, Ways ways) {
        return badNode(equipment)
                .or(() -> badFile(equipment, ways))
                .or(() -> badMount(equipment.mountsBeforehand(), ways));
    }

    /** The mount that should exist after the preparation and is missing. */
    Optional<String> missingAfterwards(Equipment equipment) {
        return look(equipment, () -> new Finding(badMount(equipment.mountsAfterwards(), new Ways()), Optional.empty()))
                .problem();
    }

    private static Optional<String> replaced(Equipment equipment, Ways ways) {
        return equipment.device() instanceof PathDevice device
                ? device.files().stream()
                        .filter(file -> !ways.destination(file.path()).equals(file.found()))
                        .map(file -> "its file " + file.path() + " was replaced since edgeplug looked at it")
                        .findFirst()
                : Optional.empty();
    }

    /** Runs work with looks here, or as {@link FarLooks#run} does if a look may hang. */
    void run(Runnable work, Consumer<FarLooks.Late> late) {
        if (isFar) {
            far.run(work, late);
        } else {
            work.run();
        }
    }

    /** The result of a look. A look that may hang is made by a thread that may be lost. */
    private Finding look(Equipment equipment, Supplier<Finding> look) {
        if (!isFar(equipment)) {
            return look.get();
        }
        isFar = true;
        return far.look(equipment.id(), look, Finding::problem);
    }

    private Optional<String> badNode(Equipment equipment) {
        return equipment.nodesBeforehand().stream()
                .map(Node::hostPath)
                .filter(path -> path.startsWith(DEV))
                .flatMap(path -> badNode(path).stream())
                .findFirst()
                // An edgeplug process is changing the device, so its nodes may come and go.
                .filter(problem -> !ChangeNote.concerns(sysfs, equipment.device()));
    }

    private Optional<String> badNode(String path) {
        if (devNull.isEmpty()) {
            return Optional.empty();
        }
        Optional<FileKind> found = kind(path);
        if (found.isEmpty()) {
            return Optional.of("its node " + path + " is not there");
        }
        // On a simulated node, all device nodes are files.
        boolean canBe =
                found.orElseThrow().isNode() || (found.equals(devNull) && devNull.equals(Optional.of(FileKind.FILE)));
        return canBe ? Optional.empty() : Optional.of("its node " + path + " is " + found.orElseThrow());
    }

    private Optional<String> badFile(Equipment equipment, Ways ways) {
        return equipment.device() instanceof PathDevice device
                ? device.files().stream()
                        .flatMap(file -> badFile(file, ways).stream())
                        .findFirst()
                : Optional.empty();
    }

    /** A file that the scan has not found either already makes the device unhealthy. */
    private Optional<String> badFile(PathDevice.File file, Ways ways) {
        Optional<FileKind> was = file.kind();
        Optional<Destination> now = ways.destination(file.path());
        if (was.isPresent() && now.isEmpty()) {
            return Optional.of("its file " + file.path() + " is not there");
        }
        return now.flatMap(
                there -> was.flatMap(kind -> file.change(kind, there.kind())).or(() -> there.distrust(trustOwner)));
    }

    private Optional<String> badMount(Collection<Mount> mounts, Ways ways) {
        return mounts.stream()
                .map(Mount::hostPath)
                .filter(path -> devNull.isPresent() && UNSEEN.stream().noneMatch(path::startsWith))
                .flatMap(path -> badMount(path, ways).stream())
                .findFirst();
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

        private final Map<String, Optional<Destination>> known = new HashMap<>();

        Optional<Destination> destination(String path) {
            return known.computeIfAbsent(path, this::follow);
        }

        private Optional<Destination> follow(String path) {
            far.at(path);
            try {
                return sysfs.follow(path.substring(1));
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
