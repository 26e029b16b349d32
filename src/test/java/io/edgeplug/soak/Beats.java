package io.edgeplug.soak;

import io.edgeplug.system.systemd.Datagrams;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Listens as systemd does, and measures for how long the daemon did not feed its watchdog. */
final class Beats implements AutoCloseable {

    /** As in the unit. */
    static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final String BEAT = "WATCHDOG=1";

    private final Path socket;
    private final Datagrams datagrams;
    private final Thread listening;
    private final AtomicLong last = new AtomicLong(System.nanoTime());
    private final AtomicLong longest = new AtomicLong();

    private volatile boolean isClosed;

    private Beats(Path socket) throws IOException {
        this.socket = socket;
        this.datagrams = Datagrams.on(socket.toString());
        this.listening = Thread.ofPlatform().daemon().name("beats").unstarted(this::listen);
    }

    static Beats on(Path socket) throws IOException {
        Files.deleteIfExists(socket);
        Beats beats = new Beats(socket);
        beats.listening.start();
        return beats;
    }

    /** The daemon's environment. */
    String socket() {
        return socket.toString();
    }

    private void listen() {
        try {
            while (!isClosed) {
                boolean isBeat = datagrams
                        .next(Duration.ofMillis(100))
                        .filter(text -> text.contains(BEAT))
                        .isPresent();
                long silence = System.nanoTime() - last.get();
                longest.accumulateAndGet(silence, Math::max);
                if (isBeat) {
                    last.set(System.nanoTime());
                }
            }
        } catch (InterruptedException e) {
            // It is closed.
        }
    }

    /** The longest time without a beat since this was asked last. */
    Duration longestSilence() {
        return Duration.ofNanos(longest.getAndSet(0));
    }

    @Override
    public void close() {
        isClosed = true;
        listening.interrupt();
        try {
            datagrams.close();
        } catch (IOException | InterruptedException e) {
            // The socket goes with the ground.
        }
    }
}
