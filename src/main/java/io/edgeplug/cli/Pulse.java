package io.edgeplug.cli;

import io.edgeplug.inventory.Heartbeat;
import io.edgeplug.kubelet.DevicePlugins;
import io.edgeplug.linux.SystemdNotify;
import java.time.Duration;
import java.util.Optional;

/**
 * Feeds systemd's watchdog, if the inventory's thread goes round, a virtual thread gets to run and a call to a socket of
 * this process is answered: a daemon in which one of them is stuck is started again.
 */
final class Pulse {

    /** Two calls that are not answered within it are fewer beats than may be missed. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Duration CLOSE = Duration.ofSeconds(1);

    private final SystemdNotify systemd;

    /** Empty where nobody watches. */
    private final Optional<Duration> every;

    // below: guarded by this
    private Optional<DevicePlugins> plugins = Optional.empty();
    private Optional<Thread> beat = Optional.empty();
    private long next = System.nanoTime();

    Pulse(SystemdNotify systemd) {
        this.systemd = systemd;
        // three beats must be missed; not dividedBy, which computes in BigDecimal: 20 ms of the start
        this.every = systemd.watchdog().map(patience -> Duration.ofMillis(patience.toMillis() / 3));
    }

    /** What the inventory's thread is to do. */
    Heartbeat heartbeat() {
        return every.map(time -> new Heartbeat(time, () -> beat(time))).orElse(Heartbeat.NONE);
    }

    /** The thread comes by with each event, and the call costs more than that. */
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
            // who was asked is being closed, and is replaced or the end
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
