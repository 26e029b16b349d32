package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Mounted;
import io.edgeplug.system.files.NeedsRoot;
import io.edgeplug.system.files.Sysfs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files, directories and mounts as they come and go, each case in real directories. */
@Timeout(60)
final class FilesComeAndGoTest extends FilesBelow {

    /** What is told meanwhile has not waited to settle. */
    private static final Duration NEVER = Duration.ofHours(1);

    @Test
    void fileThatAppearsIsListedOnceItHasSettled() throws Exception {
        try (WatchedFiles files = watch(SETTLE, "/dev/cams/*")) {
            long made = System.nanoTime();
            file(cams, "c1");

            files.await("c1");

            assertThat(Duration.ofNanos(System.nanoTime() - made)).isGreaterThanOrEqualTo(SETTLE);
        }
    }

    @Test
    void fileThatVanishesLeavesTheListAtOnce() throws Exception {
        Path c1 = file(cams, "c1");
        file(cams, "c2");
        try (WatchedFiles files = watch(NEVER, "/dev/cams/*")) {
            Files.delete(c1);

            files.await("c2");
        }
    }

    @Test
    void fileThatIsRenamedLeavesUnderItsOldNameAndComesUnderItsNewOne() throws Exception {
        Path c1 = file(cams, "c1");
        try (WatchedFiles files = watch(SETTLE, "/dev/cams/*")) {
            Files.move(c1, cams.resolve("c2"));

            files.await("c2");
        }
    }

    @Test
    void fileThatIsReplacedByAnotherOfItsNameIsTheOtherOne() throws Exception {
        Path c1 = file(cams, "c1");
        Path other = file(dev, "other");
        try (WatchedFiles files = watch(NEVER, "/dev/cams/*")) {
            long inode = (Long) Files.getAttribute(other, "unix:ino");
            Files.move(other, c1, StandardCopyOption.ATOMIC_MOVE);

            files.await("the other file", now -> WatchedFiles.inode(files.device("c1")) == inode);
        }
    }

    @Test
    void directoryThatAnyoneMayWriteToMakesItsFilesUnhealthyAtOnce() throws Exception {
        file(cams, "c1");
        try (WatchedFiles files = watch(SETTLE, "/dev/cams/*")) {
            Files.setPosixFilePermissions(cams, PosixFilePermissions.fromString("rwxrwxrwx"));
            files.awaitProblem("c1", "its way leads through /dev/cams, to which anyone can write");

            Files.setPosixFilePermissions(cams, PosixFilePermissions.fromString("rwxr-xr-x"));
            files.awaitHealthy("c1");
        }
    }

    @Test
    void directoryThatIsMadeLaterWithAllAboveItIsFound() throws Exception {
        try (WatchedFiles files = watch(SETTLE, "/srv/far/below/*", "/dev/usb/only")) {
            Path below = Files.createDirectories(root.resolve("srv/far/below"));
            file(below, "s1");
            files.await("s1");

            file(Files.createDirectory(dev.resolve("usb")), "only");
            files.await("only", "s1");
        }
    }

    @Test
    void directoryThatIsRemovedAndMadeAgainIsFollowed() throws Exception {
        Path c1 = file(cams, "c1");
        try (WatchedFiles files = watch(SETTLE, "/dev/cams/*")) {
            Files.delete(c1);
            Files.delete(cams);
            files.await();

            Files.createDirectory(cams);
            file(cams, "c2");
            files.await("c2");

            file(cams, "c3");
            files.await("c2", "c3");
        }
    }

    @Test
    void directoryThatIsReplacedByAnotherIsFollowed() throws Exception {
        file(cams, "c1");
        Path others = Files.createDirectory(dev.resolve("others"));
        file(others, "o1");
        try (WatchedFiles files = watch(SETTLE, "/dev/cams/*")) {
            Files.move(cams, dev.resolve("moved"));
            files.await();
            Files.move(others, cams);
            files.await("o1");

            file(dev.resolve("moved"), "nobody's");
            file(cams, "o2");
            files.await("o1", "o2");
        }
    }

    @Test
    @NeedsRoot("mounts a file system")
    void fileSystemThatIsMountedOverADirectoryHidesItsFilesUntilItIsUnmounted() throws Exception {
        file(cams, "c1");
        try (WatchedFiles files = watch(SETTLE, "/dev/cams/*")) {
            try (Mounted over = Mounted.open("tmpfs", cams)) {
                files.await();
                file(cams, "over");
                files.await("over");
            }
            files.await("c1");
            file(cams, "c2");
            files.await("c1", "c2");
        }
    }

    @Test
    @NeedsRoot("mounts a file system")
    void fileSystemThatIsMountedOverADirectoryOnTheWayIsFollowed() throws Exception {
        file(cams, "c1");
        try (WatchedFiles files = watch(SETTLE, "/dev/cams/*")) {
            try (Mounted over = Mounted.open("tmpfs", dev)) {
                files.await();
                file(Files.createDirectory(cams), "over");
                files.await("over");
            }
            files.await("c1");
        }
    }

    @Test
    void directoriesThatAPatternNamesComeAndGo() throws Exception {
        try (WatchedFiles files = watch(SETTLE, "/srv/*/out?")) {
            Path one = Files.createDirectories(root.resolve("srv/one"));
            file(one, "out1");
            files.await("out1");

            Path out2 = file(Files.createDirectory(root.resolve("srv/two")), "out2");
            files.await("out1", "out2");

            Files.delete(one.resolve("out1"));
            Files.delete(one);
            files.await("out2");
            Files.move(out2, out2.resolveSibling("out3"));
            files.await("out3");
        }
    }

    @Test
    void fileOfAGroupMakesItsDeviceWholeOrUnhealthy() throws Exception {
        file(cams, "c1");
        file(dev, "conf");
        try (WatchedFiles files = WatchedFiles.open(
                Sysfs.at(root), SETTLE, WatchedFiles.ofGroup("/dev/cams/c*", "/dev/snd/s*", "/dev/conf"))) {
            files.awaitProblem("c1", "lacks /dev/snd/s1 of its group");

            Path s1 = file(Files.createDirectory(dev.resolve("snd")), "s1");
            files.awaitHealthy("c1");

            Files.delete(s1);
            files.awaitProblem("c1", "lacks /dev/snd/s1 of its group");
            file(dev.resolve("snd"), "s1");
            files.awaitHealthy("c1");

            Files.delete(dev.resolve("conf"));
            files.awaitProblem("c1", "lacks /dev/conf of its group");
        }
    }

    @Test
    void patternsOfAnotherConfigurationAreFollowedFromThenOn() throws Exception {
        Path others = Files.createDirectory(dev.resolve("others"));
        try (WatchedFiles files = watch(SETTLE, "/dev/cams/*")) {
            files.monitor().use(List.of(WatchedFiles.ofPaths("/dev/others/*")));

            file(cams, "c1");
            file(others, "o1");
            files.await("o1");
        }
    }
}
