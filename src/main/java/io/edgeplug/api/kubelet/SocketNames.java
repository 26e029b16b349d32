package io.edgeplug.api.kubelet;

import io.edgeplug.model.device.ResourceName;
import io.edgeplug.system.rpc.UnixRpc;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Logger;
import java.util.regex.Pattern;

/** Names of edgeplug's sockets, such as {@code edgeplug-example.com_sriov_dpdk-5f3a09c4b1e2.sock}. */
final class SocketNames {

    private static final Logger LOG = Logger.getLogger(SocketNames.class.getName());
    private static final String PREFIX = "edgeplug-";

    /** The suffix of every plugin's socket and of the kubelet's. */
    static final String SUFFIX = ".sock";

    /** Twelve random digits make each name new, even after a restart, and distinguish shortened names. */
    private static final int TAG_DIGITS = 12;

    private static final Pattern TAG = Pattern.compile("-[0-9a-f]{" + TAG_DIGITS + "}" + Pattern.quote(SUFFIX));

    private SocketNames() {}

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    /** A new name, shortened to the limit for a Unix socket's path. */
    static Path next(Path directory, ResourceName resource) {
        long tag = ThreadLocalRandom.current().nextLong() >>> (Long.SIZE - 4 * TAG_DIGITS);
        String end = "-%012x%s".formatted(tag, SUFFIX);
        int taken = directory.resolve(PREFIX + end).toString().getBytes(StandardCharsets.UTF_8).length;
        String name = resource.toString().replace('/', '_');
        int room = Math.max(0, Math.min(name.length(), UnixRpc.MAX_PATH_BYTES - taken));
        return directory.resolve(PREFIX + name.substring(0, room) + end);
    }

    /**
     * Makes edgeplug's directory in the kubelet's, unless it exists.
     *
     * @throws IOException if it cannot be made, or something else has its name
     */
    static void makeOwn(Path directory) throws IOException {
        if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try {
            // The directories above belong to the kubelet, which makes them itself.
            Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                throw new IOException(directory + ": is in the way, remove it", e);
            }
        }
    }

    /** Removes edgeplug's directory, unless it has other files. */
    static void deleteOwn(Path directory) {
        try {
            if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
                Files.delete(directory);
            }
        } catch (IOException e) {
            LOG.fine(() -> directory + ": stays: " + e);
        }
    }

    /** A text without the random digits of sockets, so that messages about two sockets can be equal. */
    static String withoutTags(String text) {
        return TAG.matcher(text).replaceAll(SUFFIX);
    }

    /**
     * Deletes the sockets of a daemon that was killed: they have edgeplug's name, and nobody serves them.
     *
     * @throws IOException if somebody does: two daemons would take the resources from each other for ever
     */
    static void deleteAbandoned(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (DirectoryStream<Path> sockets = Files.newDirectoryStream(directory, PREFIX + "*" + SUFFIX)) {
            for (Path socket : sockets) {
                if (!isSocket(socket)) {
                    LOG.info(() -> socket + ": is not a socket, and is left alone");
                    continue;
                }
                if (UnixRpc.isListening(socket)) {
                    throw new IOException(socket + ": another edgeplug serves it, stop that one first");
                }
                Files.deleteIfExists(socket);
                LOG.fine(() -> socket + ": deleted, nobody serves it");
            }
        } catch (DirectoryIteratorException e) {
            throw new IOException(directory + ": cannot be listed: " + e.getMessage(), e);
        }
    }

    /** Whether it is a socket and not a link to one. A FIFO counts as a socket, because nobody listens there. */
    private static boolean isSocket(Path path) {
        try {
            return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                    .isOther();
        } catch (IOException e) {
            return false;
        }
    }
}
