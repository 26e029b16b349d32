package io.edgeplug.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who else can change a file, by real owners and modes; it is below /tmp, which is everybody's and sticky. */
final class OwnershipTest {

    private static final int ROOT = 0;
    private static final int USER = 1000;
    private static final int NOBODY = 65534;

    @TempDir
    private Path directory = Path.of("");

    private Path parent = Path.of("");
    private Path file = Path.of("");

    @BeforeEach
    void makeFile() throws IOException {
        assumeThat(System.getProperty("user.name"))
                .as("only root can give files away")
                .isEqualTo("root");
        directory = directory.toRealPath();
        parent = Files.createDirectory(directory.resolve("d"));
        file = Files.writeString(parent.resolve("f"), "");
        mode(file, "rw-r--r--");
        mode(parent, "rwxr-xr-x");
    }

    private static void mode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    private static void give(Path path, int uid) throws IOException {
        Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
    }

    @Test
    void rootsFileIsTrustedByAll() throws IOException {
        assertThat(Ownership.problem(file)).isEmpty();
        assertThat(Ownership.problem(file, USER)).isEmpty();
    }

    @Test
    void usersOwnFileIsTrustedByThatUserAlone() throws IOException {
        give(file, USER);
        give(parent, USER);
        mode(file, "rw-rw-r--");

        assertThat(Ownership.problem(file, USER)).isEmpty();
        assertThat(Ownership.problem(file, NOBODY))
                .contains("is reached by " + parent + ", which belongs to uid 1000, not to root");
        assertThat(Ownership.problem(file, ROOT))
                .contains("is reached by " + parent + ", which belongs to uid 1000, not to root");
    }

    @Test
    void fileOfAnotherIsNotTrusted() throws IOException {
        give(file, NOBODY);

        assertThat(Ownership.problem(file, ROOT)).contains("belongs to uid 65534, not to root");
        assertThat(Ownership.problem(file, USER)).contains("belongs to uid 65534, not to root");
    }

    @Test
    void fileOfAGroupIsNotTrustedByRoot() throws IOException {
        mode(file, "rw-rw-r--");

        assertThat(Ownership.problem(file, ROOT)).contains("can be written by others than its owner, mode 0664");
    }

    @Test
    void directoryThatIsReadIsNotTrustedIfOthersCanAddToItThoughItIsSticky() throws IOException {
        Files.setAttribute(parent, "unix:mode", 01777);

        assertThat(Ownership.problem(parent, USER)).contains("can be written by others than its owner, mode 1777");
        assertThat(Ownership.problem(file, ROOT)).isEmpty();
        mode(parent, "rwxrwxrwx");
        assertThat(Ownership.problem(file, USER))
                .contains("is reached by " + parent + ", which can be written by others than its owner, mode 0777");
    }

    @Test
    void linksAndWhatTheyLeadThroughAreLookedAt() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("d/../d/f"));
        assertThat(Ownership.problem(link, ROOT)).isEmpty();

        Path between = Files.createSymbolicLink(file.resolveSibling("between"), file);
        Path outer = Files.createSymbolicLink(directory.resolve("outer"), between);
        assertThat(Ownership.problem(outer, ROOT)).isEmpty();
        give(between, NOBODY);
        assertThat(Ownership.problem(outer, ROOT))
                .contains("is reached by " + between + ", which belongs to uid 65534, not to root");
    }

    @Test
    void whatLeadsNowhereIsAnError() throws IOException {
        Path loop = Files.createSymbolicLink(directory.resolve("loop"), Path.of("loop"));

        assertThatIOException().isThrownBy(() -> Ownership.problem(loop, ROOT)).withMessageContaining("too many links");
        assertThatIOException().isThrownBy(() -> Ownership.problem(directory.resolve("none"), ROOT));
    }
}
