package io.edgeplug.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Where paths lead, name by name. */
final class PathWalkTest {

    @TempDir
    private Path root = Path.of("");

    private Destination follow(String path) throws IOException {
        return Sysfs.at(root).follow(path).orElseThrow();
    }

    private void link(String path, String target) throws IOException {
        Path link = root.resolve(path);
        Files.createDirectories(link.resolveSibling("."));
        Files.createSymbolicLink(link, Path.of(target));
    }

    @ParameterizedTest
    @CsvSource({
        "a/b/file, /a/b/file",
        "a/b, /a/b",
        "a/../a/./b//file, /a/b/file",
        "up, /a/b/file",
        "a/far/file, /a/b/file",
        "a/.., /",
        "twice, /a/b/file"
    })
    void pathLeadsWhereTheKernelWouldTakeItInThatRoot(String path, String expected) throws IOException {
        Files.createDirectories(root.resolve("a/b"));
        Files.createFile(root.resolve("a/b/file"));
        link("up", "a/../a/b/file");
        link("a/far", "../a/b");
        link("twice", "up");

        Destination found = follow(path);

        assertThat(found.path()).isEqualTo(expected);
        assertThat(found.inode()).isEqualTo(Files.getAttribute(root.resolve(expected.substring(1)), "unix:ino"));
        assertThat(found.intruders()).isEmpty();
    }

    @Test
    void whatLeadsNowhereIsAbsent() throws IOException {
        Files.createFile(root.resolve("file"));
        link("dangling", "nowhere");

        assertThat(Sysfs.at(root).follow("dangling")).isEmpty();
        assertThat(Sysfs.at(root).follow("file/x")).isEmpty();
        assertThat(Sysfs.at(root).follow("none/x")).isEmpty();
    }

    @Test
    void circleOfLinksIsTold() throws IOException {
        link("one", "two");
        link("two", "one");

        assertThatIOException()
                .isThrownBy(() -> follow("one"))
                .withMessage("stat one: Too many levels of symbolic links");
    }

    @Test
    void directoryThatIsOnlyPassedOnTheWayUpCountsToo() throws IOException {
        Path open = Files.createDirectories(root.resolve("open/in"));
        Files.createFile(root.resolve("file"));
        Files.setPosixFilePermissions(open.resolveSibling("."), PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThat(follow("open/in/../../file").intruders())
                .singleElement()
                .satisfies(intruder -> assertThat(intruder.problem())
                        .isEqualTo("its way leads through /open, to which anyone can write"));
    }

    @Test
    void fileItselfMayBelongToAnyoneAndBeWrittenByAnyone() throws IOException {
        Path file = Files.createFile(root.resolve("tty"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));

        assertThat(follow("tty").intruders()).isEmpty();
    }
}
