package io.edgeplug.cli.daemon;

import io.edgeplug.api.kubelet.DevicePlugins;
import io.edgeplug.node.inventory.Monitor;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.systemd.SystemdNotify;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Feeds systemd's watchdog, if the inventory's thread runs, a virtual thread gets to run, and a call to a socket of
 * this process is answered. If one of them is stuck, systemd restarts the daemon.
 */
final class Pulse {

    private static final Duration CLOSE = Duration.ofSeconds(1);

    private final SystemdNotify systemd;

    /** Null if there is no watchdog. */
    private final @Nullable Duration every;

    // The fields below are guarded by this.
    private @Nullable DevicePlugins plugins;
    private @Nullable Thread beat;
    private Deadline next = Deadline.in(Duration.ZERO);

    Pulse(SystemdNotify systemd) {
        this.systemd = systemd;
        // Three beats must be missed. dividedBy is not used, because it computes in BigDecimal, which takes 20 ms of
        // the start.
        this.every = systemd.watchdog()
                .map(patience -> Duration.ofMillis(patience.toMillis() / 3))
                .orElse(null);
    }

    /** The beat for the inventory's thread. */
    Monitor.Heartbeat heartbeat() {
        Duration time = every;
        return time == null ? Monitor.Heartbeat.NONE : new Monitor.Heartbeat(time, () -> beat(time));
    }

    /** The thread calls this with each event, and the call to a socket costs more than that. */
    private synchronized void beat(Duration time) {
        if (next.isOver() && (beat == null || !beat.isAlive())) {
            // Two unanswered calls take less time than the beats that may be missed.
            Duration half = Duration.ofMillis(time.toMillis() / 2);
            next = Deadline.in(half);
            beat = Thread.ofVirtual().name("pulse").start(() -> feed(half));
        }
    }

    private void feed(Duration patience) {
        DevicePlugins asked;
        synchronized (this) {
            asked = plugins;
        }
        try {
            if (asked == null || asked.answers(patience)) {
                systemd.alive();
            }
        } catch (InterruptedException e) {
            // The sockets are being closed, because they are replaced or the daemon ends.
        }
    }

    /** Calls their sockets from now on, until they are about to be closed. */
    Asking ask(DevicePlugins served) {
        synchronized (this) {
            plugins = served;
        }
        return new Asking();
    }

    /** Sockets that are called. */
    final class Asking implements AutoCloseable {

        private Asking() {}

        @Override
        public void close() throws InterruptedException {
            Thread last;
            synchronized (Pulse.this) {
                plugins = null;
                last = beat;
            }
            if (last != null) {
                last.interrupt();
                boolean ignored = last.join(CLOSE);
            }
        }
    }
}
