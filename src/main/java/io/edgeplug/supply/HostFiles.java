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
 * The files of the node that containers are given, each of which is looked at and not opened: of one that is missing, a
 * container runtime makes an empty directory on the node.
 */
final class HostFiles {

    static final String DEV = "/dev/";

    /** The service has others in these places than containers get: see PrivateTmp and ProcSubset in its unit. */
    private static final List<String> UNSEEN = List.of("/tmp/", "/var/tmp/", "/proc/");

    /** Where a look returns at once: the kernel keeps these in memory. */
    private static final List<String> NEAR = List.of(DEV, "/sys/", "/run/");

    private final Sysfs sysfs;
    private final FarLooks far = new FarLooks();

    /** Empty on a node that was captured: it has not even that, and then no node is missing. */
    private final Optional<FileKind> devNull;

    /** Whose choice of what is at a path is trusted beside root's. */
    private final Optional<String> trustOwner;

    private final Predicate<Device> isPrepared;

    /** Whether any device has had files that a look may hang at. */
    private volatile boolean isFar;

    private HostFiles(
            Sysfs sysfs, Optional<FileKind> devNull, Optional<String> trustOwner, Predicate<Device> isPrepared) {
        this.sysfs = sysfs;
        this.devNull = devNull;
        this.trustOwner = trustOwner;
        this.isPrepared = isPrepared;
    }

    /**
     * Those of that node which a class names.
     *
     * @param isPrepared whether a device is being prepared, so that its nodes come and go, as they should
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

    /** Whether it has files that a look may hang at: by their names, and by where these led, which may be far from there. */
    private static boolean isFar(Equipment equipment) {
        Stream<String> files = equipment.device() instanceof PathDevice device
                ? device.files().stream().flatMap(file -> Stream.of(file.path(), file.hostPath()))
                : Stream.empty();
        return Stream.concat(files, equipment.mounts().stream().map(Mount::hostPath))
                .anyMatch(path -> Stream.concat(NEAR.stream(), UNSEEN.stream()).noneMatch(path::startsWith));
    }

    /**
     * What a look at a device's files finds.
     *
     * @param problem why what it brings cannot be given now, for a person: what daemon and commands say of a device
     * @param replaced which file is another one than the scan looked at, whose path leads elsewhere or that was replaced since
     */
    record Finding(Optional<String> problem, Optional<String> replaced) {

        static Finding problem(String problem) {
            return new Finding(Optional.of(problem), Optional.empty());
        }
    }

    /** Looks at all that a device brings, at each path once. */
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

    /** Which mount is missing that is to be there once the device is prepared. */
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

    /** Does work with looks in it: here, or, if a look of these has ever been one that may hang, as {@link FarLooks#run} does. */
    void run(Runnable work, Consumer<FarLooks.Late> late) {
        if (isFar) {
            far.run(work, late);
        } else {
            work.run();
        }
    }

    /** What a look finds; one that may hang is made by a thread that may. */
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
                // a process of ours is changing the device, so that its nodes come and go, as they should
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
        // all nodes of a simulated node are files
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

    /** What the scan has not found either, makes the device unhealthy by itself. */
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
                        .map(problem -> "its mount " + path + " is not to be trusted: " + problem);
    }

    /** Where paths lead, each of which is followed once. */
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

    /** A file that cannot be looked at is of no use to a container either. */
    private Optional<FileKind> kind(String path) {
        far.at(path);
        try {
            return sysfs.kind(path.substring(1));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
