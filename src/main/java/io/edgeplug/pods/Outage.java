package io.edgeplug.pods;

import io.edgeplug.linux.LogLimit;
import java.time.Duration;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Logs the reason of a failure once, however often it is repeated. One thread at a time. */
final class Outage {

    private final Logger log;
    private final LogLimit limit = new LogLimit(3, Duration.ofMinutes(10));
    private Optional<String> last = Optional.empty();

    Outage(Logger log) {
        this.log = log;
    }

    void failed(Level level, String reason) {
        if (!last.equals(Optional.of(reason)) && log.isLoggable(level)) {
            limit.line(reason).ifPresent(line -> log.log(level, line));
        }
        last = Optional.of(reason);
    }

    void works() {
        last = Optional.empty();
    }
}
