package io.edgeplug.node.prepare;

import io.edgeplug.system.files.Ownership;
import io.edgeplug.system.kernel.KernelReason;
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
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * A verified copy of an FPGA's image that only root can change, so the loaded image is the verified one. Closing it
 * deletes the copy.
 */
record Bitstream(Path path, Semaphore room, int size) implements AutoCloseable {

    private static final String PREFIX = "edgeplug-";
    private static final String SUFFIX = ".bin";
    private static final Pattern COPY =
            Pattern.compile(PREFIX + "\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12}" + SUFFIX);

    /** The largest FPGAs need a third of this. */
    static final long MAX_BYTES = 256L << 20;

    private static final int CHUNK = 1 << 16;
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    /** Less than the time that a container's start waits, so that its pod shows the reason. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** The room for all copies at one time, in bytes. Their directory may be memory. */
    static Semaphore roomForAll() {
        return new Semaphore((int) MAX_BYTES, true);
    }

    /**
     * Copies an image into a directory once there is room for it, and verifies the copy.
     *
     * @throws IOException if others could change the image, it has another digest, or other images take the room; then
     *     no copy is left
     */
    static Bitstream copy(Path image, String sha256, Path directory, Semaphore room)
            throws IOException, InterruptedException {
        Path real = checked(image);
        int size = Math.toIntExact(Files.size(real));
        if (!room.tryAcquire(size, PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new IOException(
                    image + ": the images of other FPGAs that are being programmed leave no room for it: they "
                            + "may have " + (MAX_BYTES >> 20) + " MiB together");
        }
        Path copy = directory.resolve(PREFIX + UUID.randomUUID() + SUFFIX);
        Bitstream bitstream = new Bitstream(copy, room, size);
        boolean isVerified = false;
        try {
            Files.createDirectories(directory);
            Files.createFile(copy, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
            try (OutputStream out = Files.newOutputStream(copy, StandardOpenOption.WRITE)) {
                verify(image, real, size, sha256, (bytes, count) -> write(out, bytes, count, copy));
            }
            isVerified = true;
            return bitstream;
        } finally {
            if (!isVerified) {
                bitstream.close();
            }
        }
    }

    /**
     * Verifies an image without copying it.
     *
     * @throws IOException if others could change the image, or it has another digest
     */
    static void verify(Path image, String sha256) throws IOException {
        Path real = checked(image);
        verify(image, real, Files.size(real), sha256, (bytes, count) -> {});
    }

    /** Gets each piece of an image that is read. */
    private interface Reader {
        void read(byte[] bytes, int count) throws IOException;
    }

    private static void write(OutputStream out, byte[] bytes, int count, Path copy) throws IOException {
        try {
            out.write(bytes, 0, count);
        } catch (IOException e) {
            throw KernelReason.named(copy, e);
        }
    }

    /** Whether a file is such a copy, and not an administrator's image. */
    static boolean isCopy(String name) {
        return COPY.matcher(name).matches();
    }

    /** Its bytes, outside the heap. */
    ByteBuffer map() throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        }
    }

    /** Call it once. A copy that cannot be deleted takes its room for ever. */
    @Override
    public void close() throws IOException {
        Files.deleteIfExists(path);
        room.release(size);
    }

    /** Copies an image and compares its digest at the end. */
    private static void verify(Path image, Path real, long size, String sha256, Reader reader) throws IOException {
        MessageDigest digest = sha256();
        byte[] chunk = new byte[CHUNK];
        long total = 0;
        try (InputStream in = Files.newInputStream(real, LinkOption.NOFOLLOW_LINKS)) {
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                total += read;
                if (total > size) {
                    throw new IOException(image + ": has grown while it was read");
                }
                digest.update(chunk, 0, read);
                reader.read(chunk, read);
            }
        }
        String found = HexFormat.of().formatHex(digest.digest());
        if (!found.equals(sha256)) {
            throw new IOException(image + ": its sha256 is " + found + ", not the " + sha256 + " of the class");
        }
    }

    /**
     * The real path of the image, if only root and this process's own user can change it and all directories on the
     * way. So the checked file is the one that is opened later.
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
        Optional<String> stranger = Ownership.problem(image);
        if (stranger.isPresent()) {
            throw new IOException(image + ": " + stranger.orElseThrow());
        }
        if (Files.size(real) > MAX_BYTES) {
            throw new IOException(image + ": is larger than the " + (MAX_BYTES >> 20) + " MiB of an image");
        }
        return real;
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
