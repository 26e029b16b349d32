package io.edgeplug.bench;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** A round trip on a bare Unix socket between two threads: what no call on this machine can do without. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
@Fork(
        value = 1,
        jvmArgs = {"-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx64m"})
public class SocketBenchmark {

    private static final int BYTES = 64;

    private final ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
    private Path directory;
    private ServerSocketChannel server;
    private SocketChannel client;

    @Setup
    public void connect() throws IOException {
        directory = Files.createTempDirectory("edgeplug-bench");
        UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("socket"));
        server = ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(address);
        client = SocketChannel.open(address);
        SocketChannel other = server.accept();
        Thread.ofPlatform().daemon().start(() -> echo(other));
    }

    @TearDown
    public void close() throws IOException {
        client.close();
        server.close();
        Files.delete(directory.resolve("socket"));
        Files.delete(directory);
    }

    @Benchmark
    public int roundTrip() throws IOException {
        return exchange(client, true) + exchange(client, false);
    }

    private int exchange(SocketChannel channel, boolean write) throws IOException {
        buffer.clear();
        while (buffer.hasRemaining()) {
            if ((write ? channel.write(buffer) : channel.read(buffer)) < 0) {
                throw new IOException("the other end has gone");
            }
        }
        return buffer.position();
    }

    private static void echo(SocketChannel channel) {
        ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
        try (channel) {
            while (channel.read(bytes.clear()) >= 0) {
                bytes.flip();
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
            }
        } catch (IOException e) {
            // the benchmark has ended
        }
    }
}
