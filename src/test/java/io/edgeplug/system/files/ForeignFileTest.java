package io.edgeplug.system.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Links in directories of others: a far file system, such as NFS without its server, must not be looked at. */
final class ForeignFileTest {

    private static final Path ROOT = Path.of("/");

    @TempDir
    private Path directory = Path.of("");

    private Path own = Path.of("");
    private String far = "";

    @BeforeEach
    void make() throws IOException {
        directory = directory.toRealPath();
        own = Files.createDirectory(directory.resolve("own"));
        Path there = Files.createDirectory(directory.resolve("far"));
        far = there.toString();
        Files.writeString(there.resolve("file"), "far");
        Files.writeString(own.resolve("file"), "own");
        Files.createSymbolicLink(directory.resolve("way"), there);
    }

    private Path link(String target) throws IOException {
        return Files.createSymbolicLink(own.resolve("link"), Path.of(target));
    }

    @ParameterizedTest
    @ValueSource(strings = {"../far", "../far/file", "../far/../own/file", "../way/file", "../own/../far/none"})
    void linkToAnotherFarFileSystemIsRefused(String target) throws IOException {
        Path link = link(target);

        assertThatIOException()
                .isThrownBy(() -> NearPath.of(link, ROOT, Set.of(far)))
                .withMessage("is a link to " + far + ", a file system that may not answer");
    }

    @Test
    void absoluteLinksBeginAtTheRootOfTheNode() throws IOException {
        Path link = link("/far/file");

        assertThat(NearPath.of(link, directory, Set.of())).isEqualTo(Path.of(far, "file"));
        assertThat(NearPath.of(
                        Files.createSymbolicLink(own.resolve("up"), Path.of("../../../far/file")), directory, Set.of()))
                .as("above the root is the root")
                .isEqualTo(Path.of(far, "file"));
        assertThatIOException().isThrownBy(() -> NearPath.of(link, directory, Set.of(far)));
    }

    /** A kubelet's directory may be on any file system. */
    @Test
    void linkIsFollowedOnTheFileSystemsOfItsOwnDirectory() throws IOException {
        Path link = link("file");

        assertThat(NearPath.of(link, ROOT, Set.of("/", directory.toString(), own.toString(), far)))
                .isEqualTo(own.resolve("file"));
        assertThat(NearPath.of(own.resolve("file"), ROOT, Set.of(own.toString())))
                .isEqualTo(own.resolve("file"));
        try (InputStream in = ForeignFile.open(link, 3)) {
            assertThat(in.readAllBytes()).asString().isEqualTo("own");
        }
    }

    @Test
    void linkIsRefusedWhereNobodyKnowsWhatIsFar() throws IOException {
        Set<String> unknown = FarMounts.among(List.of("not a mount"));

        assertThatIOException()
                .isThrownBy(() -> NearPath.of(link("../far/file"), ROOT, unknown))
                .withMessageStartingWith("is a link, and this node has more file systems that may not answer than");
        assertThat(NearPath.of(own.resolve("file"), ROOT, unknown)).isEqualTo(own.resolve("file"));
    }

    /** A link there may lead to a file system that only another process has. */
    @Test
    void linkToAFileOfAProcessIsRefused() throws IOException {
        Path link = link("/proc/self/status");

        assertThatIOException()
                .isThrownBy(() -> ForeignFile.open(link, 4096).close())
                .withMessage("is a link to /proc, a file system that may not answer");
    }

    @Test
    void linksInACircleAreRefused() throws IOException {
        Path link = link("link");

        assertThatIOException().isThrownBy(() -> ForeignFile.open(link, 4096).close());
    }
}
