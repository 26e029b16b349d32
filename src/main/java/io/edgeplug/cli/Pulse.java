package io.edgeplug.cli;

import io.edgeplug.inventory.Heartbeat;
import io.edgeplug.kubelet.DevicePlugins;
import io.edgeplug.linux.SystemdNotify;
import java.time.Duration;
import java.util.Optional;

/**
 * Feeds systemd's watchdog, if the inventory's thread runs, a virtual thread gets to run, and a call to a socket of
 * this process is answered. If one of them is stuck, systemd restarts the daemon.
 */
final class Pulse {

    /** Two unanswered calls take less time than the beats that may be missed. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration CLOSE = Duration.ofSeconds(1);

    private final SystemdNotify systemd;

    /** Empty if there is no watchdog. */
    private final Optional<Duration> every;

    // The fields below are guarded by this.
    private Optional<DevicePlugins> plugins = Optional.empty();
    private Optional<Thread> beat = Optional.empty();
    private long next = System.nanoTime();

    Pulse(SystemdNotify systemd) {
        this.systemd = systemd;
        // Three beats must be missed. dividedBy is not used, because it computes in BigDecimal, which takes 20 ms of
        // the start.
        this.every = systemd.watchdog().map(patience -> Duration.ofMillis(patience.toMillis() / 3));
    }

    /** The beat for the inventory's thread. */
    Heartbeat heartbeat() {
        return every.map(time -> new Heartbeat(time, () -> beat(time))).orElse(Heartbeat.NONE);
    }

    /** The thread calls this with each event, and the call to a socket costs more than that. */
    private synchronized void beat(Duration time) {
        long now = System.nanoTime();
        if (next - now <= 0 && beat.filter(Thread::isAlive).isEmpty()) {
            next = now + time.toNanos() / 2;
            beat = Optional.of(Thread.ofVirtual().name("pulse").start(this::feed));
        }
    }

    private void feed() {
        Optional<DevicePlugins> asked;
        synchronized (this) {
            asked = plugins;
        }
        try {
            if (asked.isEmpty() || asked.orElseThrow().answers(PATIENCE)) {
                systemd.alive();
            }
        } catch (InterruptedException e) {
            // The sockets are being closed, because they are replaced or the daemon ends.
        }
    }

    /** Calls their sockets from now on, until they are about to be closed. */
    Asking ask(DevicePlugins served) {
        synchronized (this) {
            plugins = Optional.of(served);
        }
        return new Asking();
    }

    /** Sockets that are called. */
    final class Asking implements AutoCloseable {

        private Asking() {}

        @Override
        public void close() throws InterruptedException {
            Optional<Thread> last;
            synchronized (Pulse.this) {
                plugins = Optional.empty();
                last = beat;
            }
            if (last.isPresent()) {
                last.orElseThrow().interrupt();
                boolean ignored = last.orElseThrow().join(CLOSE);
            }
        }
    }
}
