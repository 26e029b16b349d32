package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where a look may never return. */
final class FarMountsTest {

    private static final String DISK = "25 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw";

    @ParameterizedTest
    @CsvSource({
        "nfs4, true",
        "nfs, true",
        "cifs, true",
        "9p, true",
        "virtiofs, true",
        "ceph, true",
        "fuse.sshfs, true",
        "fuse, true",
        "fuseblk, true",
        "autofs, true",
        "overlay, true",
        "type-of-a-later-kernel, true",
        "ext4, false",
        "xfs, false",
        "tmpfs, false",
        "devtmpfs, false",
        "sysfs, false",
        "proc, false"
    })
    void typeOfFileSystemSaysWhetherALookMayHang(String type, boolean isFar) {
        String line = "99 25 0:50 /export /mnt/data rw,relatime shared:7 master:3 - " + type + " server:/export rw";

        assertThat(FarMounts.among(List.of(DISK, line)).contains("/mnt/data")).isEqualTo(isFar);
    }

    @Test
    void placeWithABlankIsNamedAsPathsAre() {
        assertThat(FarMounts.among(List.of("99 25 0:50 / /mnt/a\\040disk rw - nfs server:/a\\040disk rw")))
                .containsExactly("/mnt/a disk");
    }

    @Test
    void rootOfAContainerIsNearAndARootOnAServerIsNot() {
        assertThat(FarMounts.among(List.of("1 0 0:50 / / rw - overlay overlay rw,lowerdir=/a - b")))
                .isEmpty();
        assertThat(FarMounts.among(List.of("1 0 0:50 / / rw - nfs server:/ rw")))
                .containsExactly("/");
    }

    @Test
    void whateverCannotBeReadIsFarEverywhere() {
        assertThat(FarMounts.among(List.of(DISK, "99 25 0:50 /"))).containsExactly("/");
        assertThat(FarMounts.among(Collections.nCopies(5000, DISK))).containsExactly("/");
    }

    @Test
    void everyMountOfThisMachineCanBeRead() throws IOException {
        assertThat(FarMounts.among(Files.readAllLines(Path.of(Mounts.FILE)))).doesNotContain("/");
    }
}
