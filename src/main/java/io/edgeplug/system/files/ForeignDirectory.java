package io.edgeplug.system.files;

import io.edgeplug.system.kernel.KernelReason;
import java.io.IOException;
import java.io.Writer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A directory of another program, in which files are left for it to read. Each is written under a name that begins with
 * a dot, and then renamed, so that nobody sees half of it.
 *
 * <p>The directory must not be a link, and only root and this process's user may be able to write to it. Otherwise a
 * link could make root write elsewhere. It is opened before it is checked, and all work is done relative to the open
 * directory (openat(2)).
 *
 * <p>Directories above it may belong to others, as Debian's {@code /var/lib/prometheus} does. If others can lead its path
 * elsewhere, as {@link PathRule} says, no link is followed on it. A directory of root is then where root made it: others
 * cannot move it to another parent, because they cannot write to it.
 */
public final class ForeignDirectory {

    private static final String ROOT = "root";

    private final Path path;

    public ForeignDirectory(Path path) {
        this.path = path.toAbsolutePath();
    }

    /**
     * Writes a file that everybody may read.
     *
     * @throws IOException if it cannot be written; the message names the directory and the reason
     */
    public void replace(String name, String text) throws IOException {
        try {
            replace(name, (Writer out) -> out.write(text));
        } catch (InterruptedException e) {
            throw new IllegalStateException("a text does not wait", e);
        }
    }

    /** Writes the text of a file. */
    public interface Text {
        void write(Writer out) throws IOException, InterruptedException;
    }

    /** The same with a text that is never in memory as a whole. */
    public void replace(String name, Text text) throws IOException, InterruptedException {
        try (SecureDirectoryStream<Path> directory = open()) {
            WholeFile.PUBLIC.write(directory, "." + name + ".part", name, (FileChannel file) -> {
                Writer out = Channels.newWriter(file, StandardCharsets.UTF_8);
                text.write(out);
                out.flush();
            });
        } catch (IOException e) {
            throw new IOException(path + ": cannot write " + name + ": " + KernelReason.words(e), e);
        }
    }

    /** Removes a file, which may be missing. */
    public void delete(String name) throws IOException {
        try (SecureDirectoryStream<Path> directory = open()) {
            WholeFile.delete(directory, Path.of(name));
        } catch (NoSuchFileException e) {
            // Without the directory there is no such file.
        } catch (IOException e) {
            throw new IOException(path + ": cannot delete " + name + ": " + KernelReason.words(e), e);
        }
    }

    private SecureDirectoryStream<Path> open() throws IOException {
        Optional<String> others = Ownership.way(path);
        SecureDirectoryStream<Path> directory =
                others.isEmpty() ? WholeFile.open(path) : openWithoutLinks(others.orElseThrow());
        try {
            check(directory.getFileAttributeView(PosixFileAttributeView.class).readAttributes());
            return directory;
        } catch (IOException e) {
            directory.close();
            throw e;
        }
    }

    /** Opens name by name (openat(2)), so that a link that others make meanwhile is not followed either. */
    private SecureDirectoryStream<Path> openWithoutLinks(String others) throws IOException {
        SecureDirectoryStream<Path> directory = WholeFile.open(Path.of("/"));
        for (Path name : path) {
            try (SecureDirectoryStream<Path> above = directory) {
                directory = above.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
            } catch (NoSuchFileException e) {
                throw e;
            } catch (IOException e) {
                throw new IOException(
                        "the directory " + others + ", so no link is followed on its path: " + name + ": "
                                + KernelReason.words(e),
                        e);
            }
        }
        return directory;
    }

    private void check(PosixFileAttributes opened) throws IOException {
        Object named =
                Objects.requireNonNull(Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                        .fileKey());
        if (!named.equals(opened.fileKey())) {
            throw new IOException("the directory is a link");
        }
        UserPrincipal own = Files.getOwner(Path.of("/proc/self"));
        if (!opened.owner().getName().equals(ROOT) && !opened.owner().equals(own)) {
            throw new IOException("the directory belongs to " + opened.owner().getName() + ", not to root");
        }
        Set<PosixFilePermission> permissions = opened.permissions();
        if (permissions.contains(PosixFilePermission.GROUP_WRITE)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException("others than its owner can write to the directory, which has "
                    + PosixFilePermissions.toString(permissions));
        }
    }
}
