package io.edgeplug.linux;

import info.faljse.SDNotify.SDNotify;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Tells systemd how this service is, if systemd wants to know; sd_notify(3).
 *
 * <p>SDNotify does the sending. What it leaves open is closed here: it cannot reach an abstract socket, it garbles what
 * is not ASCII, and it throws when nobody listens. Nothing here throws; from any thread.
 */
public final class SystemdNotify {

    private static final Logger LOG = Logger.getLogger(SystemdNotify.class.getName());

    /** Empty where nobody wants to know. */
    private final Optional<String> socket;

    private final Optional<Duration> watchdog;
    private boolean warned;

    private SystemdNotify(Optional<String> socket, Optional<Duration> watchdog) {
        this.socket = socket;
        this.watchdog = watchdog;
    }

    /** Reads NOTIFY_SOCKET and what the watchdog wants; without a socket, nothing is ever sent. */
    public static SystemdNotify ofEnvironment() {
        Map<String, String> environment = System.getenv();
        Optional<String> socket =
                Optional.ofNullable(environment.get("NOTIFY_SOCKET")).filter(text -> !text.isEmpty());
        return new SystemdNotify(socket, socket.flatMap(wanted -> watchdog(environment)));
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
        return watchdog;
    }

    /** The service serves; {@code status} is a line for {@code systemctl status}. */
    public void ready(String status) {
        send("READY=1\nSTATUS=" + line(status));
    }

    /** What {@code systemctl status} shows. */
    public void status(String status) {
        send("STATUS=" + line(status));
    }

    /** The configuration is being read again, until {@link #ready}. */
    public void reloading() {
        // CLOCK_MONOTONIC is what nanoTime reads on Linux
        send("RELOADING=1\nMONOTONIC_USEC=" + TimeUnit.NANOSECONDS.toMicros(System.nanoTime()));
    }

    /** The service ends. */
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
            send(socket.orElseThrow(), message);
        } catch (IOException | RuntimeException | LinkageError e) {
            // once: the journal has nothing from a line for each beat
            LOG.log(warned ? Level.FINE : Level.WARNING, "systemd cannot be told of the state: " + e.getMessage());
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

    /** A message has a line for each of its fields. */
    private static String line(String status) {
        return PlainText.of(status);
    }
}
