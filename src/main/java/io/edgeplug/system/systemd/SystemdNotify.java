package io.edgeplug.system.systemd;

import info.faljse.SDNotify.SDNotify;
import io.edgeplug.system.kernel.PlainText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Reports the state of this service to systemd, if systemd wants it; sd_notify(3).
 *
 * <p>SDNotify sends the messages. This class closes its gaps: it cannot reach an abstract socket, it garbles characters
 * beyond ASCII, and it throws when nobody listens. Nothing here throws; any thread may call it.
 */
public final class SystemdNotify {

    private static final Logger LOG = Logger.getLogger(SystemdNotify.class.getName());

    /** Empty if nobody wants the state. */
    private final String socket;

    private final @Nullable Duration watchdog;
    private boolean warned;

    private SystemdNotify(String socket, @Nullable Duration watchdog) {
        this.socket = socket;
        this.watchdog = watchdog;
    }

    /** Reads NOTIFY_SOCKET and the watchdog's settings. Without a socket, nothing is ever sent. */
    public static SystemdNotify ofEnvironment() {
        Map<String, String> environment = System.getenv();
        String socket = environment.getOrDefault("NOTIFY_SOCKET", "");
        return new SystemdNotify(
                socket, socket.isEmpty() ? null : watchdog(environment).orElse(null));
    }

    private static Optional<Duration> watchdog(Map<String, String> environment) {
        String pid = environment.getOrDefault("WATCHDOG_PID", "");
        if (!pid.isEmpty() && !pid.equals(Long.toString(ProcessHandle.current().pid()))) {
            return Optional.empty();
        }
        try {
            long micros = Long.parseLong(environment.getOrDefault("WATCHDOG_USEC", "0"));
            return Optional.of(Duration.of(micros, TimeUnit.MICROSECONDS.toChronoUnit()))
                    .filter(Duration::isPositive);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** How long systemd waits for {@link #alive} before it ends this process; empty if it does not watch. */
    public Optional<Duration> watchdog() {
        return Optional.ofNullable(watchdog);
    }

    /** The service is ready. {@code status} is a line for {@code systemctl status}. */
    public void ready(String status) {
        // A message has a line for each of its fields.
        send("READY=1\nSTATUS=" + PlainText.of(status));
    }

    /** The line for {@code systemctl status}. */
    public void status(String status) {
        send("STATUS=" + PlainText.of(status));
    }

    /** The configuration is being read again, until {@link #ready}. */
    public void reloading() {
        // On Linux, nanoTime reads CLOCK_MONOTONIC.
        send("RELOADING=1\nMONOTONIC_USEC=" + TimeUnit.NANOSECONDS.toMicros(System.nanoTime()));
    }

    /** The service is stopping. */
    public void stopping() {
        send("STOPPING=1");
    }

    /** Feeds the watchdog. */
    public void alive() {
        send("WATCHDOG=1");
    }

    private synchronized void send(String message) {
        if (socket.isEmpty()) {
            return;
        }
        try {
            send(socket, message);
        } catch (IOException | RuntimeException | LinkageError e) {
            // The warning is logged once, because a line for each beat is of no use.
            LOG.log(warned ? Level.FINE : Level.WARNING, "cannot report the state to systemd: " + e.getMessage());
            warned = true;
        }
    }

    private static void send(String address, String message) throws IOException {
        boolean isAscii = StandardCharsets.US_ASCII.newEncoder().canEncode(message);
        if (address.startsWith("/") && isAscii) {
            SDNotify.sendRaw(message);
        } else {
            try (UnixDatagrams datagrams = UnixDatagrams.to(address)) {
                datagrams.send(message.getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}
