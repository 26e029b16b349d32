package io.edgeplug.api.metrics;

import io.edgeplug.system.flow.Front;
import io.edgeplug.system.kernel.KernelReason;
import io.edgeplug.system.systemd.Outage;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Serves the metrics over HTTP, on a loop of its own. An address that is not there yet is tried again.
 *
 * <p>Anybody who can reach the address may ask, so a caller must cost little. There are few connections at a time. Each
 * serves one request and ends after some seconds, and the size of a request is limited.
 */
final class MetricsServer implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(MetricsServer.class.getName());

    /** A Prometheus server has one connection. Connections beyond the limit are closed at once. */
    static final int MAX_CONNECTIONS = 16;

    /** How many answers may wait for slow readers at a time. Each keeps the status of all devices in memory. */
    static final int MAX_ANSWERS = 4;

    /** How long a connection lasts, from its begin to the last byte of its answer. */
    private static final Duration LIFE = Duration.ofSeconds(10);

    private static final int MAX_LINE = 1024;
    private static final int MAX_HEADERS = 8192;

    /** How often to try an address that is not there yet, such as that of an interface that is down. */
    private static final Duration RETRY = Duration.ofSeconds(10);

    private static final long CLOSE_MILLIS = 1000;

    private final InetSocketAddress address;
    private final Duration life;
    private final Scrape scrape;
    private final Semaphore answers = new Semaphore(MAX_ANSWERS);
    private final EventLoopGroup loop;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread binder;

    /** The last problem that was logged; used by the binder only. */
    private final Outage outage = new Outage(LOG);

    /** Used on the loop only. */
    private int connections;

    private volatile @Nullable Channel listening;

    /** Serves from now on. */
    MetricsServer(InetSocketAddress address, Scrape scrape) {
        this(address, LIFE, scrape);
    }

    /** The same with another life of connections. */
    MetricsServer(InetSocketAddress address, Duration life, Scrape scrape) {
        this.address = address;
        this.life = life;
        this.scrape = scrape;
        this.loop = new MultiThreadIoEventLoopGroup(
                1, Front.METRICS.platform("metrics").factory(), EpollIoHandler.newFactory());
        this.binder = Front.METRICS.virtual("metrics address").start(this::bind);
    }

    private void bind() {
        try {
            do {
                boolean ignored = Front.METRICS.attempt(this::bindOnce);
            } while (listening == null && !closed.await(RETRY.toNanos(), TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            LOG.fine("no longer trying to serve metrics");
        }
    }

    private void bindOnce() throws InterruptedException {
        try {
            listening = listen();
            LOG.info("metrics: serving on http://" + text(address) + "/metrics");
        } catch (IOException e) {
            outage.failed(Level.WARNING, "metrics: cannot listen on " + text(address) + ": " + e.getMessage());
        }
    }

    private Channel listen() throws IOException, InterruptedException {
        ChannelFuture bound = new ServerBootstrap()
                .group(loop)
                .channel(EpollServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, MAX_CONNECTIONS)
                .childHandler(new Connections())
                .bind(address)
                .await();
        if (!bound.isSuccess()) {
            throw new IOException(KernelReason.adviceOnIp(bound.cause(), "metrics.md"));
        }
        return bound.channel();
    }

    /** The address where it listens; empty until it does. */
    Optional<InetSocketAddress> address() {
        return Optional.ofNullable(listening).map(channel -> (InetSocketAddress) channel.localAddress());
    }

    /** Waits until it listens, up to a timeout. */
    boolean awaitListening(Duration patience) throws InterruptedException {
        return binder.join(patience) && listening != null;
    }

    private static String text(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    private final class Connections extends ChannelInitializer<SocketChannel> {

        @Override
        protected void initChannel(SocketChannel connection) {
            if (connections == MAX_CONNECTIONS) {
                ChannelFuture ignored = connection.close();
                return;
            }
            connections++;
            Future<?> end =
                    connection.eventLoop().schedule(() -> close(connection), life.toNanos(), TimeUnit.NANOSECONDS);
            connection.closeFuture().addListener(ended -> {
                connections--;
                end.cancel(false);
            });
            connection
                    .pipeline()
                    .addLast(
                            new HttpRequestDecoder(new HttpDecoderConfig()
                                    .setMaxInitialLineLength(MAX_LINE)
                                    .setMaxHeaderSize(MAX_HEADERS)
                                    .setMaxChunkSize(MAX_HEADERS)),
                            new HttpResponseEncoder(),
                            new MetricsAnswer(scrape, answers));
        }

        private void close(SocketChannel connection) {
            ChannelFuture ignored = connection.close();
        }
    }

    @Override
    public void close() {
        closed.countDown();
        binder.interrupt();
        boolean ignored =
                loop.shutdownGracefully(0, CLOSE_MILLIS, TimeUnit.MILLISECONDS).awaitUninterruptibly(CLOSE_MILLIS);
    }
}
