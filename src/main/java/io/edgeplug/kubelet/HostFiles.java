package io.edgeplug.kubelet;

import io.edgeplug.container.Allocation.Mount;
import io.edgeplug.container.Allocation.Node;
import io.edgeplug.container.Equipment;
import io.edgeplug.device.Changing;
import io.edgeplug.device.PathDevice;
import io.edgeplug.linux.FileKind;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The files of the node that containers are given, each of which is looked at and not opened: of one that is missing, a
 * container runtime makes an empty directory on the node.
 */
final class HostFiles {

    private static final String DEV = "/dev/";

    /** The service has others in these places than containers get: see PrivateTmp and ProcSubset in its unit. */
    private static final List<String> UNSEEN = List.of("/tmp/", "/var/tmp/", "/proc/");

    /** Where a look returns at once: the kernel keeps these in memory. */
    private static final List<String> NEAR = List.of(DEV, "/sys/", "/run/");

    private final Sysfs sysfs;
    private final FarLooks far = new FarLooks();

    /** Empty on a node that was captured: it has not even that, and then no node is missing. */
    private final Optional<FileKind> devNull;

    private HostFiles(Sysfs sysfs, Optional<FileKind> devNull) {
        this.sysfs = sysfs;
        this.devNull = devNull;
    }

    /** Those of that node. */
    static HostFiles of(Sysfs sysfs) {
        try {
            return new HostFiles(sysfs, sysfs.kind("dev/null"));
        } catch (IOException e) {
            return new HostFiles(sysfs, Optional.of(FileKind.CHARACTER_DEVICE));
        }
    }

    /** Whether it has files that a look may hang at. */
    static boolean isFar(Equipment equipment) {
        Stream<String> files = equipment.device() instanceof PathDevice device
                ? device.files().stream().map(PathDevice.File::path)
                : Stream.empty();
        return Stream.concat(files, equipment.mounts().stream().map(Mount::hostPath))
                .anyMatch(path -> Stream.concat(NEAR.stream(), UNSEEN.stream()).noneMatch(path::startsWith));
    }

    /** Why what a device brings cannot be given now, for a person. */
    Optional<String> problem(Equipment equipment) {
        return isFar(equipment) ? far.problem(equipment.id(), () -> problemOf(equipment)) : problemOf(equipment);
    }

    private Optional<String> problemOf(Equipment equipment) {
        return badNode(equipment).or(() -> badFile(equipment)).or(() -> missingMount(equipment.mountsBeforehand()));
    }

    /** Which mount is missing that is to be there once the device is prepared. */
    Optional<String> missingAfterwards(Equipment equipment) {
        return isFar(equipment)
                ? far.problem(equipment.id(), () -> missingMount(equipment.mountsAfterwards()))
                : missingMount(equipment.mountsAfterwards());
    }

    private Optional<String> badNode(Equipment equipment) {
        return equipment.nodesBeforehand().stream()
                .map(Node::hostPath)
                .filter(path -> path.startsWith(DEV))
                .flatMap(path -> badNode(path).stream())
                .findFirst()
                // a process of ours is changing the device, so that its nodes come and go, as they should
                .filter(problem -> !Changing.concerns(sysfs, equipment.device()));
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

    private Optional<String> badFile(Equipment equipment) {
        return equipment.device() instanceof PathDevice device
                ? device.files().stream()
                        .flatMap(file -> badFile(file).stream())
                        .findFirst()
                : Optional.empty();
    }

    /** What the scan has not found either, makes the device unhealthy by itself. */
    private Optional<String> badFile(PathDevice.File file) {
        Optional<FileKind> now = kind(file.path());
        return file.kind()
                .flatMap(was -> now.isEmpty()
                        ? Optional.of("its file " + file.path() + " is not there")
                        : file.change(was, now.orElseThrow()));
    }

    private Optional<String> missingMount(Collection<Mount> mounts) {
        return mounts.stream()
                .map(Mount::hostPath)
                .filter(path -> devNull.isPresent() && UNSEEN.stream().noneMatch(path::startsWith))
                .filter(path -> kind(path).isEmpty())
                .findFirst()
                .map(path -> "its mount " + path + " is not there");
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
