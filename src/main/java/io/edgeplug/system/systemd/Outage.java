package io.edgeplug.system.systemd;

import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Logs the reason of a failure once, however often it is repeated. One thread at a time. */
public final class Outage {

    private final Logger log;
    private final LogLimit limit = new LogLimit(3, Duration.ofMinutes(10));
    private String last = "";

    public Outage(Logger log) {
        this.log = log;
    }

    public void failed(Level level, String reason) {
        if (!last.equals(reason) && log.isLoggable(level)) {
            limit.line(reason).ifPresent(line -> log.log(level, line));
            last = reason;
        }
    }

    public void works() {
        last = "";
    }
}
