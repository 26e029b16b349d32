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
 * Notes that edgeplug has turned a PF's {@code sriov_drivers_autoprobe} off. The file exists while it is off, so that
 * the next run turns it on if this one is killed. All other traces of a killed run are visible in sysfs.
 */
record AutoprobeNote(Path file) {

    private static final String DIRECTORY = "run/edgeplug/vfs";

    /** The mode that systemd gives the service's directory. */
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
