package io.edgeplug.prepare;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A copy of an FPGA's image that only root can change, whose digest is the expected one: what is loaded is what was
 * verified. It is gone once this is closed.
 */
final class Bitstream implements AutoCloseable {

    private static final String PREFIX = "edgeplug-";
    private static final String SUFFIX = ".bin";
    private static final Pattern COPY =
            Pattern.compile(PREFIX + "\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}" + SUFFIX);

    /** The largest FPGAs need a third of it. */
    static final long MAX_BYTES = 256L << 20;

    private static final int STICKY = 01000;
    private static final int WRITABLE_BY_OTHERS = 0022;
    private static final int CHUNK = 1 << 16;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    private final Path copy;

    private Bitstream(Path copy) {
        this.copy = copy;
    }

    /**
     * Copies an image into a directory and verifies the copy.
     *
     * @throws IOException if others could change it, or it is not the one with that digest; then nothing is left
     */
    static Bitstream copy(Path image, String sha256, Path directory) throws IOException {
        Path real = checked(image);
        Path copy = Files.createDirectories(directory).resolve(PREFIX + UUID.randomUUID() + SUFFIX);
        Files.createFile(copy, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        Bitstream bitstream = new Bitstream(copy);
        try (OutputStream out = Files.newOutputStream(copy, StandardOpenOption.WRITE)) {
            verify(image, real, sha256, out);
            return bitstream;
        } catch (IOException e) {
            bitstream.close();
            throw e;
        }
    }

    /**
     * Verifies an image where it is.
     *
     * @throws IOException if others could change it, or it is not the one with that digest
     */
    static void verify(Path image, String sha256) throws IOException {
        verify(image, checked(image), sha256, OutputStream.nullOutputStream());
    }

    /** Whether a file is such a copy, and no image of its administrator's. */
    static boolean isCopy(String name) {
        return COPY.matcher(name).matches();
    }

    Path path() {
        return copy;
    }

    /** Its bytes, outside the heap. */
    ByteBuffer map() throws IOException {
        try (FileChannel channel = FileChannel.open(copy, StandardOpenOption.READ)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        }
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(copy);
    }

    /** Passes an image on, and only then says that it was another. */
    private static void verify(Path image, Path real, String sha256, OutputStream out) throws IOException {
        MessageDigest digest = sha256();
        byte[] chunk = new byte[CHUNK];
        long total = 0;
        try (InputStream in = Files.newInputStream(real, LinkOption.NOFOLLOW_LINKS)) {
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                total += read;
                checkSize(image, total);
                digest.update(chunk, 0, read);
                out.write(chunk, 0, read);
            }
        }
        String found = HexFormat.of().formatHex(digest.digest());
        if (!found.equals(sha256)) {
            throw new IOException(image + ": its sha256 is " + found + ", not the " + sha256 + " of the class");
        }
    }

    /**
     * Where the image really is, if neither it nor any directory on the way there can be changed by anyone but root and
     * this process's own user. So what is checked here is what is opened afterwards.
     */
    private static Path checked(Path image) throws IOException {
        if (Files.isSymbolicLink(image)) {
            throw new IOException(image + ": is a symbolic link");
        }
        if (!Files.exists(image)) {
            throw new IOException(image + ": no such file");
        }
        if (!Files.isRegularFile(image, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(image + ": is not a regular file");
        }
        Path real = image.toRealPath();
        int ownUid = (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
        for (Path part = real; part != null; part = part.getParent()) {
            int owner = (Integer) Files.getAttribute(part, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            int mode = (Integer) Files.getAttribute(part, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            if (owner != 0 && owner != ownUid) {
                throw new IOException(image + ": " + part + " belongs to uid " + owner + ", not to root");
            }
            // in a sticky directory nobody can replace what is another's
            boolean isShared = Files.isDirectory(part) && (mode & STICKY) != 0;
            if ((mode & WRITABLE_BY_OTHERS) != 0 && !isShared) {
                throw new IOException(image + ": " + part + " can be written by others than its owner");
            }
        }
        checkSize(image, Files.size(real));
        return real;
    }

    private static void checkSize(Path image, long size) throws IOException {
        if (size > MAX_BYTES) {
            throw new IOException(image + ": is larger than the " + (MAX_BYTES >> 20) + " MiB of an image");
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
