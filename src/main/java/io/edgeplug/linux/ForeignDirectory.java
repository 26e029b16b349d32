package io.edgeplug.linux;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;

/**
 * A directory of another program, in which files are left for it to read: each is written aside under a name that begins
 * with a dot, and then renamed, so that nobody sees half of it.
 *
 * <p>Only a directory that nobody but root and this process's user can change is written to, also on the way there: in
 * any other, a link could lead root's writing elsewhere.
 */
public final class ForeignDirectory {

    private static final String READABLE = "rw-r--r--";

    private final Path path;

    public ForeignDirectory(Path path) {
        this.path = path.toAbsolutePath();
    }

    /**
     * Makes this the content of a file that everybody may read.
     *
     * @throws IOException if it cannot be written; the message names the directory and says why
     */
    public void replace(String name, String text) throws IOException {
        replace(name, text.getBytes(StandardCharsets.UTF_8));
    }

    /** The same with bytes. */
    public void replace(String name, byte[] bytes) throws IOException {
        Path part = path.resolve("." + name + ".part");
        try {
            check();
            // what a process that was killed has left
            Files.deleteIfExists(part);
            try (var out = Files.newByteChannel(
                    part,
                    Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
                var left = ByteBuffer.wrap(bytes);
                while (left.hasRemaining()) {
                    int ignored = out.write(left);
                }
            }
            // the service's umask would take that away
            Files.setPosixFilePermissions(part, PosixFilePermissions.fromString(READABLE));
            Files.move(part, path.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            throw new IOException(path + ": no such directory", e);
        } catch (IOException e) {
            throw new IOException(path + ": cannot write " + name + ": " + KernelReason.of(e), e);
        }
    }

    /** Removes a file, which need not be there. */
    public void delete(String name) throws IOException {
        try {
            check();
            Files.deleteIfExists(path.resolve(name));
        } catch (NoSuchFileException e) {
            // then it is gone
        } catch (IOException e) {
            throw new IOException(path + ": cannot delete " + name + ": " + KernelReason.of(e), e);
        }
    }

    private void check() throws IOException {
        Optional<String> problem = Ownership.problem(path);
        if (problem.isPresent()) {
            throw new IOException(problem.orElseThrow());
        }
    }
}
