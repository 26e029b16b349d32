package io.edgeplug.box;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A Unix socket that QEMU connects to, and on which both sides talk in lines. */
final class LineSocket implements AutoCloseable {

    private static final Duration CONNECTS_WITHIN = Duration.ofSeconds(60);

    private final ServerSocketChannel server;
    private final CompletableFuture<SocketChannel> peer = new CompletableFuture<>();

    /** The lines that came and were not taken; empty once the other side has hung up. */
    private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();

    private LineSocket(ServerSocketChannel server) {
        this.server = server;
    }

    static LineSocket listen(Path path) throws IOException {
        Files.deleteIfExists(path);
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        server.bind(UnixDomainSocketAddress.of(path));
        LineSocket socket = new LineSocket(server);
        Thread.ofVirtual().name(String.valueOf(path.getFileName())).start(socket::read);
        return socket;
    }

    private void read() {
        try (SocketChannel channel = server.accept()) {
            peer.complete(channel);
            try (BufferedReader reader = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8))) {
                reader.lines().forEach(line -> lines.add(Optional.of(line)));
            }
        } catch (IOException | UncheckedIOException e) {
            peer.completeExceptionally(e);
        } finally {
            lines.add(Optional.empty());
        }
    }

    void send(String line) throws IOException, InterruptedException {
        try {
            SocketChannel channel = peer.get(CONNECTS_WITHIN.toSeconds(), TimeUnit.SECONDS);
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(line + "\n");
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the virtual machine did not connect", e);
        }
    }

    /**
     * The next line.
     *
     * @throws IOException if the other side has hung up
     */
    String next(Duration patience) throws IOException, InterruptedException, TimeoutException {
        Optional<String> line = lines.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
        if (line == null) {
            throw new TimeoutException("nothing came within " + patience.toSeconds() + " s");
        }
        if (line.isEmpty()) {
            lines.add(line);
        }
        return line.orElseThrow(() -> new IOException("the virtual machine has ended"));
    }

    /** Forgets the lines that came and were not taken. */
    void clear() {
        lines.removeIf(Optional::isPresent);
    }

    @Override
    public void close() throws IOException {
        server.close();
        SocketChannel channel = peer.getNow(null);
        if (channel != null) {
            channel.close();
        }
    }
}
