package io.edgeplug.system.files;

import io.edgeplug.system.kernel.KernelCalls;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * A file in a directory where other programs write. It must be a regular file, and opening it never blocks.
 *
 * <p>The opened file is the checked one: a FIFO that replaces it in between is not opened.
 */
public final class ForeignFile {

    private static final Path ROOT = Path.of("/");

    private ForeignFile() {}

    /** The file is larger than the limit. */
    public static final class TooLargeException extends IOException {

        private static final long serialVersionUID = 1;

        /** The message follows the file's name. */
        public TooLargeException(String message) {
            super(message);
        }

        static TooLargeException of(long most) {
            String size = most < 1 << 20 ? (most >> 10) + " KiB" : (most >> 20) + " MiB";
            return new TooLargeException("is larger than the " + size + " that are read of it");
        }
    }

    /**
     * Opens a file, or the file that a link of that name leads to. A link to another file system that may not answer is
     * refused.
     *
     * @param most how many bytes it may have; it may grow while it is read
     * @throws IOException if it is no regular file, is larger, or cannot be opened; the message follows the file's name
     */
    public static InputStream open(Path file, long most) throws IOException {
        // Nobody can put another link there meanwhile.
        return open(near(file), most, KernelCalls.O_NOFOLLOW);
    }

    /** The same wherever a link leads, for a file that a person has named. */
    public static InputStream openAnywhere(Path file, long most) throws IOException {
        return open(file, most, 0);
    }

    /**
     * The path of a file without the link of that name. The way there is on no other file system that may not answer.
     *
     * @throws IOException if it would be; the message follows the file's name
     */
    public static Path near(Path file) throws IOException {
        return near(file, ROOT);
    }

    /** The same where absolute links begin at another root directory. */
    public static Path near(Path file, Path root) throws IOException {
        return NearPath.of(file, root, FarMounts.ofThisProcess().now());
    }

    private static InputStream open(Path file, long most, int more) throws IOException {
        // O_PATH neither waits nor reads, whatever kind of file it is.
        int descriptor = KernelCalls.open(file.toString(), KernelCalls.O_PATH | KernelCalls.O_CLOEXEC | more);
        if (descriptor < 0) {
            int error = KernelCalls.error();
            throw error == KernelCalls.ENOENT
                    ? new NoSuchFileException(file.toString())
                    : new IOException(KernelCalls.strerror(error));
        }
        try {
            Path opened = Path.of("/proc/self/fd/" + descriptor);
            FileKind kind = FileKind.ofMode((Integer) Files.getAttribute(opened, "unix:mode"));
            if (kind != FileKind.FILE) {
                throw new IOException("is " + kind + ", not a file");
            }
            if (Files.size(opened) > most) {
                throw TooLargeException.of(most);
            }
            return Files.newInputStream(opened);
        } finally {
            KernelCalls.close(descriptor);
        }
    }
}
