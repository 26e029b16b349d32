package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who else can change a file, by real owners and modes; it is below /tmp, which is everybody's and sticky. */
@NeedsRoot("gives files to other users")
final class OwnershipTest {

    private static final int USER_ID = 1000;
    private static final int NOBODY_ID = 65534;
    private static final PathRule ROOT = new PathRule(0, 0, 0);
    private static final PathRule USER = new PathRule(USER_ID, USER_ID, 0);
    private static final PathRule NOBODY = new PathRule(NOBODY_ID, NOBODY_ID, 0);

    @TempDir
    private Path directory = Path.of("");

    private Path parent = Path.of("");
    private Path file = Path.of("");

    @BeforeEach
    void makeFile() throws IOException {
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
        give(file, USER_ID);
        give(parent, USER_ID);
        mode(file, "rw-rw-r--");

        assertThat(Ownership.problem(file, USER)).isEmpty();
        assertThat(Ownership.problem(file, NOBODY)).contains("belongs to uid 1000, not to root");
        give(file, 0);
        mode(file, "rw-r--r--");
        assertThat(Ownership.problem(file, ROOT))
                .contains("is reached by " + parent + ", which belongs to " + Files.getOwner(parent));
    }

    @Test
    void fileOfAnotherIsNotTrusted() throws IOException {
        give(file, NOBODY_ID);

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
        assertThat(Ownership.problem(file, USER)).contains("is reached by " + parent + ", to which anyone can write");
    }

    @Test
    void linksAndWhatTheyLeadThroughAreLookedAt() throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("d/../d/f"));
        assertThat(Ownership.problem(link, ROOT)).isEmpty();

        Path between = Files.createSymbolicLink(file.resolveSibling("between"), file);
        Path outer = Files.createSymbolicLink(directory.resolve("outer"), between);
        assertThat(Ownership.problem(outer, ROOT)).isEmpty();
        // Its owner cannot change a link: others are needed who can write to the directory.
        give(between, NOBODY_ID);
        assertThat(Ownership.problem(outer, ROOT)).isEmpty();
        Files.setAttribute(parent, "unix:mode", 01777);
        assertThat(Ownership.problem(outer, ROOT))
                .contains("is reached by " + between + ", which belongs to " + somebody(between)
                        + ", in a directory to which others can write");
    }

    private static String somebody(Path link) throws IOException {
        return Files.getOwner(link, LinkOption.NOFOLLOW_LINKS).getName();
    }

    @Test
    void whatLeadsNowhereIsAnError() throws IOException {
        Path loop = Files.createSymbolicLink(directory.resolve("loop"), Path.of("loop"));

        assertThatIOException()
                .isThrownBy(() -> Ownership.problem(loop, ROOT))
                .withMessageContaining("Too many levels of symbolic links");
        assertThatIOException().isThrownBy(() -> Ownership.problem(directory.resolve("none"), ROOT));
    }
}
