package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that root leaves for others. */
final class ForeignDirectoryTest {

    @TempDir
    private Path directory = Path.of("");

    private Path foreign = Path.of("");

    @BeforeEach
    void make() throws IOException {
        foreign = Files.createDirectory(directory.resolve("foreign"));
    }

    @Test
    void fileIsReplacedAndReadableForAll() throws IOException {
        ForeignDirectory files = new ForeignDirectory(foreign);

        files.replace("a.prom", "1\n");
        files.replace("a.prom", "2\n");

        assertThat(foreign.resolve("a.prom")).hasContent("2\n");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(foreign.resolve("a.prom"))))
                .isEqualTo("rw-r--r--");
        assertThat(foreign)
                .isDirectoryNotContaining(file -> file.getFileName().toString().startsWith("."));
        files.delete("a.prom");
        files.delete("a.prom");
        assertThat(foreign).isEmptyDirectory();
    }

    @Test
    void linkInItsPlaceIsReplacedAndNotFollowed() throws IOException {
        Path victim = Files.writeString(directory.resolve("victim"), "precious");
        Files.createSymbolicLink(foreign.resolve("a.prom"), victim);
        Files.createSymbolicLink(foreign.resolve(".a.prom.part"), victim);

        new ForeignDirectory(foreign).replace("a.prom", "1\n");

        assertThat(victim).hasContent("precious");
        assertThat(foreign.resolve("a.prom")).hasContent("1\n");
        assertThat(Files.isSymbolicLink(foreign.resolve("a.prom"))).isFalse();
    }

    @Test
    void directoryThatOthersCanWriteToIsLeftAlone() throws IOException {
        Files.setPosixFilePermissions(foreign, PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThatThrownBy(() -> new ForeignDirectory(foreign).replace("a.prom", "1\n"))
                .hasMessageStartingWith(
                        foreign
                                + ": cannot write a.prom: others than its owner can write to the directory, which has rwxrwxrwx");
        assertThat(foreign).isEmptyDirectory();
    }

    @Test
    void directoryThatIsALinkIsLeftAlone() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), foreign);

        assertThatThrownBy(() -> new ForeignDirectory(link).replace("a.prom", "1\n"))
                .hasMessage(link + ": cannot write a.prom: the directory is a link");
        assertThat(foreign).isEmptyDirectory();
    }

    @Test
    void directoryAboveMayBeOthers() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));

        new ForeignDirectory(foreign).replace("a.prom", "1\n");

        assertThat(foreign.resolve("a.prom")).hasContent("1\n");
    }

    /** As if a directory above belonged to another user, who makes a link to a directory of root. */
    @Test
    void linkThatOthersMadeAboveTheDirectoryIsNotFollowed() throws IOException {
        Path others = Files.createDirectory(directory.resolve("u"));
        Path link = Files.createSymbolicLink(others.resolve("prom"), directory);
        Path through = link.resolve("foreign");
        new ForeignDirectory(through).replace("a.prom", "1\n");
        Files.setPosixFilePermissions(others, PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThatThrownBy(() -> new ForeignDirectory(through).replace("a.prom", "2\n"))
                .hasMessageStartingWith(through + ": cannot write a.prom: the directory is reached by " + others
                        + ", to which anyone can write, so no link is followed on its path: prom: ");
        assertThatThrownBy(() -> new ForeignDirectory(through).delete("a.prom"))
                .hasMessageStartingWith(through + ": cannot delete a.prom: the directory is reached by " + others);

        assertThat(foreign.resolve("a.prom")).hasContent("1\n");
    }

    /** A user can move a link of root from an own directory into a sticky one. */
    @Test
    void linkThatOthersMayHaveMovedAboveTheDirectoryIsNotFollowed() throws IOException {
        Path sticky = Files.createDirectory(directory.resolve("sticky"));
        Path link = Files.createSymbolicLink(sticky.resolve("prom"), directory);
        Files.setAttribute(sticky, "unix:mode", 01777);
        Path through = link.resolve("foreign");

        assertThatThrownBy(() -> new ForeignDirectory(through).replace("a.prom", "1\n"))
                .hasMessageStartingWith(through + ": cannot write a.prom: the directory is reached by " + link
                        + ", which anyone may have moved into a directory to which others can write");
        assertThat(foreign).isEmptyDirectory();
    }

    @Test
    void directoryThatIsMissingIsSaidSo() {
        assertThatThrownBy(() -> new ForeignDirectory(directory.resolve("none")).replace("a", "1"))
                .hasMessage(directory.resolve("none") + ": cannot write a: No such file or directory");
    }
}
