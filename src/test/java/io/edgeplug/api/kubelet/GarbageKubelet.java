package io.edgeplug.api.kubelet;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;

/** Something on {@code kubelet.sock} that answers every caller with random bytes. */
final class GarbageKubelet implements AutoCloseable {

    private final Path socket;
    private final ServerSocketChannel server;
    private final Seen<SocketChannel> callers = new Seen<>();
    private final Random random = new Random(3);

    private GarbageKubelet(Path socket, ServerSocketChannel server) {
        this.socket = socket;
        this.server = server;
    }

    static GarbageKubelet open(Path directory) throws IOException {
        Files.createDirectories(directory);
        Path socket = directory.resolve("kubelet.sock");
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(socket));
        GarbageKubelet kubelet = new GarbageKubelet(socket, server);
        Thread.ofPlatform().daemon().start(kubelet::babble);
        return kubelet;
    }

    private void babble() {
        try {
            while (true) {
                SocketChannel caller = server.accept();
                byte[] garbage = new byte[4096];
                random.nextBytes(garbage);
                callers.add(caller);
                try {
                    caller.write(ByteBuffer.wrap(garbage));
                } catch (IOException e) {
                    caller.close();
                }
            }
        } catch (IOException e) {
            // closed
        }
    }

    Seen<SocketChannel> callers() {
        return callers;
    }

    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(socket);
        for (SocketChannel caller : callers.all()) {
            caller.close();
        }
    }
}
