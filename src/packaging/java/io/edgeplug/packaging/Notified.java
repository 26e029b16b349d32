package io.edgeplug.packaging;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import jnr.unixsocket.UnixDatagramChannel;
import jnr.unixsocket.UnixSocketAddress;

/** A socket that takes what the daemon would tell systemd, and drops it. */
final class Notified implements AutoCloseable {

    private static final int MESSAGE = 4096;

    private final Path path;
    private final UnixDatagramChannel channel;

    private Notified(Path path, UnixDatagramChannel channel) {
        this.path = path;
        this.channel = channel;
    }

    static Notified open(Path path) throws IOException {
        UnixDatagramChannel channel = UnixDatagramChannel.open();
        channel.bind(new UnixSocketAddress(path.toFile()));
        Notified socket = new Notified(path, channel);
        // a sender whose messages nobody takes would wait in the end
        Thread.ofPlatform().name("notified").daemon().start(socket::drain);
        return socket;
    }

    Path path() {
        return path;
    }

    private void drain() {
        ByteBuffer message = ByteBuffer.allocate(MESSAGE);
        try {
            while (channel.isOpen()) {
                channel.receive(message.clear());
            }
        } catch (IOException e) {
            // closed
            return;
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
        Files.deleteIfExists(path);
    }
}
