package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
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
    void fileIsStillTheSameUntilItIsReplacedAndOnlyIfNoLinkLeadsToIt() throws IOException {
        Files.createDirectories(root.resolve("a"));
        Path file = Files.createFile(root.resolve("a/file"));
        link("up", "a/file");
        Destination last = follow("a/file");
        Sysfs sysfs = Sysfs.at(root);

        assertThat(sysfs.isStill("/a/file", last)).isTrue();
        assertThat(sysfs.nearOnly().isStill("/a/file", last)).isTrue();
        assertThat(sysfs.isStill("/up", follow("up"))).isFalse();

        assertThat(last.isAt(file, Set.of(root.resolve("a").toString())))
                .as("below a mount that may not answer")
                .isFalse();
        Files.move(root.resolve("a"), root.resolve("b"));
        link("a", "b");
        assertThat(sysfs.isStill("/a/file", last)).as("behind a link by now").isFalse();
        Files.delete(root.resolve("a"));
        Files.move(root.resolve("b"), root.resolve("a"));

        Files.createFile(root.resolve("a/newer"));
        Files.move(root.resolve("a/newer"), file, StandardCopyOption.ATOMIC_MOVE);
        assertThat(sysfs.isStill("/a/file", last)).isFalse();
        Files.delete(file);
        assertThatIOException().isThrownBy(() -> sysfs.isStill("/a/file", last));
        Files.createSymbolicLink(file, Path.of("../elsewhere"));
        assertThat(sysfs.isStill("/a/file", last)).isFalse();
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

    /** An Allocate looks at each name, and the kernel's limit of links allows 65,000. */
    @Test
    void linksWithThousandsOfNamesAreNotFollowed() throws IOException {
        Files.createDirectories(root.resolve("d"));
        Files.createFile(root.resolve("file"));
        link("long", "d/../".repeat(400) + "longer");
        link("longer", "d/../".repeat(400) + "file");

        assertThat(follow("longer").path()).isEqualTo("/file");
        assertThatIOException()
                .isThrownBy(() -> follow("long"))
                .withMessageContaining("links on the way have more than 1024 names");
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

    /** Each of its names is judged, and not only the first one. */
    @Test
    void stickyDirectoryIsAsSafeAsWhatIsInIt() throws IOException {
        Path open = Files.createDirectories(root.resolve("open/in")).resolveSibling(".");
        Files.createFile(root.resolve("open/in/file"));
        Files.createFile(root.resolve("open/one"));
        Files.createLink(root.resolve("open/two"), root.resolve("open/one"));
        Files.setAttribute(open, "unix:mode", 01777);

        assertThat(follow("open/in/file").intruders()).isEmpty();
        assertThat(follow("open/in/../two").intruders())
                .extracting(Destination.Intruder::problem)
                .containsExactly(
                        "its way leads through /open/two, which has more names, in a directory to which others can write",
                        "its way leads through /open/two,"
                                + " which anyone may have moved into a directory to which others can write");
    }

    /** So can a directory to which all can write, as that needs the right to write to it. The names in it stay. */
    @Test
    void whatMayHaveBeenMovedIntoAStickyDirectoryIsFoundInTheMiddleToo() throws IOException {
        Path deep = Files.createDirectories(root.resolve("open/in/deep"));
        Files.createFile(deep.resolve("file"));
        link("open/link", "../open");
        Files.setAttribute(root.resolve("open/in"), "unix:mode", 01777);
        Files.setAttribute(root.resolve("open"), "unix:mode", 01777);

        for (String entry : List.of("in", "link")) {
            assertThat(follow("open/" + entry + "/.").intruders())
                    .extracting(Destination.Intruder::problem)
                    .containsExactly("its way leads through /open/" + entry
                            + ", which anyone may have moved into a directory to which others can write");
        }
        assertThat(follow("open/in/deep/file").intruders()).hasSize(1);
    }

    /** Links of /proc lead to a file whatever their text says, as those of an open file and of a container's root. */
    @Test
    void linkThatDoesNotLeadWhereItsTextSaysIsAnError() throws IOException {
        Path file = Files.writeString(root.toRealPath().resolve("file"), "open");
        try (FileChannel opened = FileChannel.open(file)) {
            String link = descriptor(file).toString().substring(1);
            Sysfs node = Sysfs.at(Path.of("/"));
            assertThat(node.follow(link)).map(Destination::path).contains(file.toString());

            Files.delete(file);
            Files.writeString(file.resolveSibling("file (deleted)"), "another");

            assertThat(opened.size()).isEqualTo(4);
            assertThatIOException()
                    .isThrownBy(() -> node.follow(link))
                    .withMessageEndingWith(": a link on the way does not lead where its text says");
        }
    }

    private static Path descriptor(Path file) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path one : all) {
                if (Files.isSymbolicLink(one) && Files.readSymbolicLink(one).equals(file)) {
                    return one;
                }
            }
        }
        throw new IllegalStateException(file + " is not open");
    }

    /** The name of a user may come from a server, which may not answer; see nsswitch.conf(5). */
    @Test
    @NeedsRoot("gives directories to other users")
    void lookThatMustNotWaitKnowsOnlyNamesThatOthersHaveLookedUp() throws IOException {
        Path parent = Files.createDirectory(root.resolve("ours"));
        Files.createFile(parent.resolve("file"));
        Files.setAttribute(parent, "unix:uid", 54321);
        Files.setAttribute(parent, "unix:gid", 54322);
        Files.setPosixFilePermissions(parent, PosixFilePermissions.fromString("rwxrwxr-x"));
        Sysfs near = Sysfs.at(root).nearOnly();

        assertThatExceptionOfType(FarPathException.class).isThrownBy(() -> near.follow("ours/file"));
        Destination found = follow("ours/file");
        assertThat(found.intruders()).hasSize(2);
        assertThat(near.follow("ours/file")).contains(found);
    }

    @Test
    void fileItselfMayBelongToAnyoneAndBeWrittenByAnyone() throws IOException {
        Path file = Files.createFile(root.resolve("tty"));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));

        assertThat(follow("tty").intruders()).isEmpty();
    }
}
