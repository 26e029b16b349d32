package io.edgeplug.vfs;

import io.edgeplug.device.PciAddress;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Whether we have turned a PF's {@code sriov_drivers_autoprobe} off: a file that is there while it is, so that the next run
 * turns it on if this one is killed. All else that a killed run leaves shows in sysfs.
 */
record AutoprobeNote(Path file) {

    private static final String DIRECTORY = "run/edgeplug/vfs";

    /** As systemd makes it for the service. */
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    static AutoprobeNote of(Sysfs sysfs, PciAddress pf) {
        return new AutoprobeNote(sysfs.locate(DIRECTORY + "/" + pf));
    }

    boolean isThere() {
        return Files.exists(file);
    }

    void write() throws IOException {
        Files.createDirectories(file.resolveSibling("."), PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        if (!isThere()) {
            Files.createFile(file);
        }
    }

    void delete() throws IOException {
        Files.deleteIfExists(file);
    }
}
