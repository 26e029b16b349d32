package io.edgeplug.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Objects;
import java.util.Set;

/**
 * A directory of another program, in which files are left for it to read. Each is written under a name that begins with
 * a dot, and then renamed, so that nobody sees half of it.
 *
 * <p>The directory must not be a link, and only root and this process's user may be able to write to it. Otherwise a
 * link could make root write elsewhere. It is opened before it is checked, and all work is done relative to the open
 * directory (openat(2)), because directories above it may belong to others, as in Debian's {@code /var/lib/prometheus}.
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
        replace(name, text.getBytes(StandardCharsets.UTF_8));
    }

    /** The same with bytes. */
    public void replace(String name, byte[] bytes) throws IOException {
        Path part = Path.of("." + name + ".part");
        try (DirectoryStream<Path> opened = Files.newDirectoryStream(path)) {
            SecureDirectoryStream<Path> directory = checked(opened);
            // A killed process may have left this file.
            deleteIfThere(directory, part);
            try (SeekableByteChannel out = directory.newByteChannel(
                    part,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
                ByteBuffer left = ByteBuffer.wrap(bytes);
                while (left.hasRemaining()) {
                    int ignored = out.write(left);
                }
            }
            // The service's umask would remove this permission.
            directory
                    .getFileAttributeView(part, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setPermissions(PosixFilePermissions.fromString("rw-r--r--"));
            directory.move(part, directory, Path.of(name));
        } catch (IOException e) {
            throw new IOException(path + ": cannot write " + name + ": " + KernelReason.of(e), e);
        }
    }

    /** Removes a file, which may be missing. */
    public void delete(String name) throws IOException {
        try (DirectoryStream<Path> opened = Files.newDirectoryStream(path)) {
            SecureDirectoryStream<Path> directory = checked(opened);
            deleteIfThere(directory, Path.of(name));
        } catch (NoSuchFileException e) {
            // Without the directory there is no such file.
        } catch (IOException e) {
            throw new IOException(path + ": cannot delete " + name + ": " + KernelReason.of(e), e);
        }
    }

    private static void deleteIfThere(SecureDirectoryStream<Path> directory, Path name) throws IOException {
        try {
            directory.deleteFile(name);
        } catch (NoSuchFileException e) {
            // The file is already gone.
        }
    }

    private SecureDirectoryStream<Path> checked(DirectoryStream<Path> opened) throws IOException {
        // On Linux all directory streams are of this type.
        SecureDirectoryStream<Path> directory = (SecureDirectoryStream<Path>) opened;
        check(directory.getFileAttributeView(PosixFileAttributeView.class).readAttributes());
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
