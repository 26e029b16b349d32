package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.HungFileSystem;
import io.edgeplug.model.device.Device;
import io.edgeplug.model.rules.FileRules;
import io.edgeplug.node.scan.FileScan;
import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A file system that does not answer, as NFS without its server, beside others that do. */
@Timeout(60)
@NeedsRoot("mounts a file system")
final class HungDirectoryTest extends FilesBelow {

    private Path far = Path.of("");

    @BeforeEach
    void makeFiles() throws IOException {
        far = Files.createDirectories(root.resolve("mnt/far"));
        file(far, "f1");
        file(cams, "c1");
        file(cams, "c2");
    }

    private static boolean isHung(Inventory inventory, String id) {
        return inventory.devices().stream()
                .filter(device -> device.id().equals(id))
                .anyMatch(device -> device.health()
                        .problem()
                        .filter(text -> text.contains(" has not returned since "))
                        .isPresent());
    }

    private static List<String> healthy(Inventory inventory) {
        return inventory.devices().stream()
                .filter(device -> device.health().isHealthy())
                .map(Device::id)
                .toList();
    }

    @Test
    void filesElsewhereStayHealthyComeAndGoWhileADirectoryHangs() throws Exception {
        try (WatchedFiles files = watch(SETTLE, "/mnt/far/*", "/dev/cams/*")) {
            files.await("c1", "c2", "f1");
            try (HungFileSystem hung = HungFileSystem.mount(far)) {
                hung.awaitRequest();
                files.await("f1 hangs", now -> isHung(now, "f1"));
                assertThat(healthy(files.monitor().current())).containsExactly("c1", "c2");

                Files.delete(cams.resolve("c2"));
                file(cams, "c3");

                files.await("c1", "c3", "f1");
                assertThat(healthy(files.monitor().current())).containsExactly("c1", "c3");
            }
            files.awaitHealthy("f1");
        }
    }

    @Test
    void fileWhoseLinkLeadsThereHangsAlone() throws Exception {
        Files.createSymbolicLink(cams.resolve("linked"), Path.of("../../mnt/far/f1"));
        try (WatchedFiles files = watch(SETTLE, "/dev/cams/*");
                HungFileSystem hung = HungFileSystem.mount(far)) {
            hung.awaitRequest();

            files.await("the link hangs", now -> isHung(now, "linked"));

            assertThat(healthy(files.monitor().current())).containsExactly("c1", "c2");
        }
    }

    @Test
    void onlyTheSecondOfTwoFileSystemsOnTheWayIsRefused() throws Exception {
        Path through = Files.createDirectories(root.resolve("mnt/through"));
        file(through, "t1");
        Files.createSymbolicLink(through.resolve("t2"), Path.of("../far/f1"));
        try (HungFileSystem hung = HungFileSystem.mount(far)) {
            Inventory now = Inventory.scan(Sysfs.at(root), List.of(WatchedFiles.ofPaths("/mnt/through/*")));

            hung.awaitRequest();
            assertThat(healthy(now)).containsExactly("t1");
            assertThat(isHung(now, "t2")).isTrue();
        }
    }

    @Test
    void directoryThatHangsFromTheStartIsToldOfAndOthersAreFound() throws Exception {
        try (HungFileSystem hung = HungFileSystem.mount(far);
                WatchedFiles files = watch(SETTLE, "/mnt/far", "/mnt/far/f1", "/mnt/*/f*", "/dev/cams/*")) {
            hung.awaitRequest();

            files.await("c1", "c2");

            assertThat(files.areHealthy()).isTrue();
        }
    }

    @Test
    void scanThatMustNotWaitFindsWhatIsElsewhere() throws Exception {
        List<FileRules> rules =
                List.of(WatchedFiles.ofPaths("/mnt/far/*", "/dev/cams/*").files());
        FileScan scan = new FileScan(Sysfs.at(root).nearOnly());
        try (HungFileSystem hung = HungFileSystem.mount(far)) {
            FileScan.Found found = scan.paths(rules);

            assertThat(found.devices()).extracting(Device::id).containsExactly("c1", "c2");
            assertThat(found.problems().values()).containsExactly("/mnt/far/*: " + far);
        }
    }
}
