package io.edgeplug.soak;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;

/** A local user who calls, although somebody has opened the directory and the sockets to all. */
final class PeerInputs {

    private static final int CALLS = 3_000;
    private static final int NOBODY = 65534;

    private PeerInputs() {}

    static List<Production> all() {
        return List.of(new Production("another-user", 1, PeerInputs::anotherUser));
    }

    private static int anotherUser(Attack attack, Random random) throws Exception {
        Path socket = attack.socket(Ground.PROBE);
        Path root = attack.ground().root();
        Path kubeletDir = attack.ground().kubeletDir();
        for (Path way : List.of(root, kubeletDir, kubeletDir.resolve("edgeplug"))) {
            Files.setPosixFilePermissions(way, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
        Thread user = Thread.ofPlatform().name("nobody").start(() -> call(socket));
        user.join();
        return CALLS;
    }

    /** The kernel has a user for each thread; libc alone keeps them the same, and is not asked here. */
    private static void call(Path socket) {
        int setresuid = System.getProperty("os.arch").equals("aarch64") ? 147 : 117;
        if (Libc.INSTANCE.syscall(setresuid, NOBODY, NOBODY, NOBODY) != 0) {
            throw new IllegalStateException("cannot become another user");
        }
        byte[] call = Http2.call(Calls.V1BETA1 + "GetDevicePluginOptions", new byte[0]);
        for (int i = 0; i < CALLS; i++) {
            try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                channel.connect(UnixDomainSocketAddress.of(socket));
                channel.write(ByteBuffer.wrap(call));
                boolean ignored = Http2.isAnswered(new DataInputStream(Channels.newInputStream(channel)));
            } catch (IOException e) {
                // refused already when it connects
            }
        }
    }
}
