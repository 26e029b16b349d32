package io.edgeplug.prepare;

import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Directories of our own on the node, which outlive a process and not the boot. */
final class OwnDirectory {

    /** As systemd makes it for the service; who may open a lock's file could keep the daemon waiting. */
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private OwnDirectory() {}

    /** The directory of that path, as {@code run/edgeplug/lock}, which is made if it is not there. */
    static Path of(Sysfs sysfs, String path) throws IOException {
        return Files.createDirectories(sysfs.locate(path), PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    }
}
