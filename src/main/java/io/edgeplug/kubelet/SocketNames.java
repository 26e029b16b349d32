package io.edgeplug.kubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.UnixRpc;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Logger;
import java.util.regex.Pattern;

/** Names of our sockets: {@code edgeplug-example.com_sriov_dpdk-5f3a09c4b1e2.sock}. */
final class SocketNames {

    private static final Logger LOG = Logger.getLogger(SocketNames.class.getName());
    private static final String PREFIX = "edgeplug-";
    private static final String SUFFIX = ".sock";

    /** Twelve random digits make a name new, also after a restart, and tell shortened names apart. */
    private static final int TAG_DIGITS = 12;

    private static final Pattern TAG = Pattern.compile("-[0-9a-f]{" + TAG_DIGITS + "}" + Pattern.quote(SUFFIX));

    private SocketNames() {}

    /** A name that was never used, shortened to what a Unix socket's path can hold. */
    static Path next(Path directory, ResourceName resource) {
        long tag = ThreadLocalRandom.current().nextLong() >>> (Long.SIZE - 4 * TAG_DIGITS);
        String end = "-%012x%s".formatted(tag, SUFFIX);
        int taken = directory.resolve(PREFIX + end).toString().getBytes(StandardCharsets.UTF_8).length;
        String name = resource.toString().replace('/', '_');
        int room = Math.max(0, Math.min(name.length(), UnixRpc.MAX_PATH_BYTES - taken));
        return directory.resolve(PREFIX + name.substring(0, room) + end);
    }

    /** A text without what makes our sockets' names new, so that what is told of two of them is the same. */
    static String withoutTags(String text) {
        return TAG.matcher(text).replaceAll(SUFFIX);
    }

    /**
     * Deletes the sockets of a daemon that was killed: ours by name, and nobody serves them.
     *
     * @throws IOException if somebody does: two daemons would take the resources from each other for ever
     */
    static void deleteAbandoned(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (DirectoryStream<Path> sockets = Files.newDirectoryStream(directory, PREFIX + "*" + SUFFIX)) {
            for (Path socket : sockets) {
                if (isServed(socket)) {
                    throw new IOException(socket + ": another edgeplug serves it, stop that one first");
                }
                Files.deleteIfExists(socket);
                LOG.fine(() -> socket + ": deleted, nobody serves it");
            }
        } catch (DirectoryIteratorException e) {
            throw new IOException(directory + ": cannot be listed: " + e.getMessage(), e);
        }
    }

    /** Asks without waiting, since one that is stopped would have us wait for ever. */
    private static boolean isServed(Path socket) throws IOException {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.configureBlocking(false);
            channel.connect(UnixDomainSocketAddress.of(socket));
            return true;
        } catch (ConnectException e) {
            return false;
        } catch (SocketException e) {
            return !"No such file or directory".equals(e.getMessage());
        }
    }
}
