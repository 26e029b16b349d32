package io.edgeplug.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import jnr.unixsocket.UnixDatagramChannel;
import jnr.unixsocket.UnixSocketAddress;
import org.jspecify.annotations.Nullable;

/** A Unix socket of datagrams, as systemd and its journal have, and what was sent to it. */
final class Datagrams implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 30;
    private static final int MAX_BYTES = 1 << 20;

    private final UnixDatagramChannel channel;
    private final BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();

    private volatile @Nullable Throwable ended;

    private Datagrams(UnixDatagramChannel channel) {
        this.channel = channel;
    }

    /** Listens on a path, or on an abstract name that begins with NUL. */
    static Datagrams on(String address) throws IOException {
        UnixDatagramChannel channel = UnixDatagramChannel.open();
        channel.bind(new UnixSocketAddress(address));
        Datagrams datagrams = new Datagrams(channel);
        Thread.ofPlatform().daemon().name("datagrams").start(datagrams::receive);
        return datagrams;
    }

    private void receive() {
        try {
            while (true) {
                ByteBuffer buffer = ByteBuffer.allocate(MAX_BYTES);
                channel.receive(buffer);
                byte[] bytes = new byte[buffer.flip().remaining()];
                buffer.get(bytes);
                received.add(bytes);
            }
        } catch (IOException | RuntimeException | Error e) {
            ended = e;
        }
    }

    /** The next that was sent, once it is there. */
    byte[] nextBytes() throws InterruptedException {
        byte[] next = received.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(next).as("a datagram; reading ended with %s", ended).isNotNull();
        return next;
    }

    String next() throws InterruptedException {
        return new String(nextBytes(), StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
