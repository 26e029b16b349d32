package io.edgeplug.node.inventory;

import java.time.Duration;

/**
 * Shows that the loop of the inventory is not stuck: the loop calls it at least this often.
 *
 * @param beat must not block
 */
public record Heartbeat(Duration every, Runnable beat) {

    /** For callers without a watchdog. */
    public static final Heartbeat NONE = new Heartbeat(Duration.ofNanos(Long.MAX_VALUE), () -> {});
}
