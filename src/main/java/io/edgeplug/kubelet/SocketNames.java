package io.edgeplug.kubelet;

import io.edgeplug.device.ResourceName;
import io.edgeplug.linux.UnixRpc;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;
import java.util.logging.Logger;

/** Names of our sockets: {@code edgeplug-example.com_sriov_dpdk-5f3a09c4b1e2.sock}. */
final class SocketNames {

    private static final Logger LOG = Logger.getLogger(SocketNames.class.getName());
    private static final String PREFIX = "edgeplug-";
    private static final String SUFFIX = ".sock";

    /** Twelve random digits make a name new, also after a restart, and tell shortened names apart. */
    private static final int TAG_DIGITS = 12;

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

    /** Deletes the sockets of a daemon that was killed: ours by name, and nobody answers on them. */
    static void deleteAbandoned(Path directory) {
        try (DirectoryStream<Path> sockets = Files.newDirectoryStream(directory, PREFIX + "*" + SUFFIX)) {
            for (Path socket : sockets) {
                if (isAbandoned(socket)) {
                    Files.deleteIfExists(socket);
                    LOG.fine(() -> socket + ": deleted, nobody serves it");
                }
            }
        } catch (IOException e) {
            LOG.fine(() -> directory + ": cannot look for abandoned sockets: " + e.getMessage());
        }
    }

    private static boolean isAbandoned(Path socket) {
        try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
            return !channel.isConnected();
        } catch (IOException e) {
            return true;
        }
    }
}
