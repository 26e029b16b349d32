package io.edgeplug.system.systemd;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import jnr.unixsocket.UnixDatagramChannel;
import jnr.unixsocket.UnixSocketAddress;
import org.jspecify.annotations.Nullable;

/** A Unix socket of datagrams, as systemd and its journal have, and what was sent to it. */
public final class Datagrams implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 30;
    private static final int MAX_BYTES = 1 << 20;

    private final UnixDatagramChannel channel;
    private final UnixSocketAddress address;
    private final Thread receiver;
    private final BlockingQueue<byte[]> received = new LinkedBlockingQueue<>();

    private volatile boolean closed;
    private volatile @Nullable Throwable ended;

    private Datagrams(UnixDatagramChannel channel, UnixSocketAddress address) {
        this.channel = channel;
        this.address = address;
        this.receiver = Thread.ofPlatform().daemon().name("datagrams").unstarted(this::receive);
    }

    /** Listens on a path, or on an abstract name that begins with NUL. */
    public static Datagrams on(String name) throws IOException {
        UnixSocketAddress address = new UnixSocketAddress(name);
        UnixDatagramChannel channel = UnixDatagramChannel.open();
        channel.bind(address);
        Datagrams datagrams = new Datagrams(channel, address);
        datagrams.receiver.start();
        return datagrams;
    }

    private void receive() {
        try {
            while (!closed) {
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

    /** The next, unless there is none for so long. */
    public Optional<String> next(Duration patience) throws InterruptedException {
        return Optional.ofNullable(received.poll(patience.toMillis(), TimeUnit.MILLISECONDS))
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8));
    }

    public String next() throws InterruptedException {
        return new String(nextBytes(), StandardCharsets.UTF_8);
    }

    /** Closes the channel once nobody reads from it: who still did would read from the next socket of its number. */
    @Override
    public void close() throws IOException, InterruptedException {
        closed = true;
        try (UnixDatagramChannel waker = UnixDatagramChannel.open()) {
            waker.send(ByteBuffer.allocate(1), address);
        }
        assertThat(receiver.join(Duration.ofSeconds(PATIENCE_SECONDS)))
                .as("reading has ended")
                .isTrue();
        channel.close();
    }
}
