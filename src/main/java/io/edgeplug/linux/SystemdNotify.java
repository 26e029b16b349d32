package io.edgeplug.linux;

import info.faljse.SDNotify.SDNotify;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;

/**
 * Tells systemd how this service is, if systemd wants to know; sd_notify(3).
 *
 * <p>SDNotify does the sending. What it leaves open is closed here: it cannot reach an abstract socket, it throws when
 * nobody listens, and it garbles what is not ASCII. Nothing here throws or waits; from any thread.
 */
public final class SystemdNotify {

    private static final Logger LOG = Logger.getLogger(SystemdNotify.class.getName());

    private final boolean wanted;
    private final Optional<Duration> watchdog;
    private boolean warned;

    private SystemdNotify(boolean wanted, Optional<Duration> watchdog) {
        this.wanted = wanted;
        this.watchdog = watchdog;
    }

    /** Reads NOTIFY_SOCKET and what the watchdog wants; without a socket, nothing is ever sent. */
    public static SystemdNotify ofEnvironment() {
        Map<String, String> environment = System.getenv();
        String socket = environment.getOrDefault("NOTIFY_SOCKET", "");
        boolean isPath = socket.startsWith("/");
        if (!isPath && !socket.isEmpty()) {
            LOG.warning("systemd is not told of the state: " + socket + " is no path");
        }
        return new SystemdNotify(isPath, isPath ? watchdog(environment) : Optional.empty());
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
        if (!wanted) {
            return;
        }
        try {
            SDNotify.sendRaw(message);
        } catch (RuntimeException | LinkageError e) {
            if (!warned) {
                warned = true;
                LOG.warning("systemd cannot be told of the state: " + e.getMessage());
            }
        }
    }

    /** A message has a line for each of its fields, and SDNotify has a question mark for what is not ASCII. */
    private static String line(String status) {
        return status.replaceAll("\\p{Cntrl}", " ").replaceAll("[^ -~]", "?");
    }
}
