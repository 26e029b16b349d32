package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
        assertThat(FarMounts.among(List.of(DISK, "99 25 0:50 /"))).contains("/");
        assertThat(FarMounts.among(shares(5000, ""))).contains("/");
        assertThat(FarMounts.among(shares(500, "x".repeat(4000)))).contains("/");
    }

    @Test
    void anyNumberOfDisksIsNear() {
        List<String> lines = new ArrayList<>(Collections.nCopies(50_000, DISK));
        lines.addAll(shares(3000, ""));

        assertThat(FarMounts.among(lines)).hasSize(3000).doesNotContain("/");
    }

    private static List<String> shares(int count, String name) {
        return IntStream.range(0, count)
                .mapToObj(i -> "99 25 0:50 / /mnt/" + i + name + " rw - nfs server:/ rw")
                .toList();
    }

    /** A name of a device or a directory has no blank in this file, so it cannot look like the options. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            63 43 0:39 / /home/a rw,nosuid,nodev - fuse.x x rw,user_id=1002,group_id=1002,allow_other | 1002
            63 43 0:39 / /home/a rw - fuse x rw,user_id=1002,group_id=1002                            | 1002
            63 43 0:39 / /home/a rw shared:7 - fuseblk /dev/sdb1 rw,user_id=0,group_id=0,allow_other  | 0
            63 43 0:39 / /home/a rw - fuse.x x,user_id=7 rw,user_id=1002,group_id=1002                | 1002
            63 43 0:39 / /home/a rw - ext4 x rw,user_id=1002                                          |
            63 43 0:39 / /home/a,user_id=0 rw - nfs x rw                                              |
            """)
    void userOfAProgramThatShowsFilesIsKnown(String line, Long user) {
        assertThat(FarMounts.servers(Stream.of(DISK, line)).get("0:39")).isEqualTo(user);
    }

    @Test
    void everyMountOfThisMachineCanBeRead() throws IOException {
        assertThat(FarMounts.among(Files.readAllLines(Path.of(Mounts.FILE)))).doesNotContain("/");
    }
}
