package io.edgeplug.inventory;

import java.time.Duration;

/**
 * What the loop that keeps the inventory current does at least so often, to show that it is not stuck.
 *
 * @param beat must not block
 */
public record Heartbeat(Duration every, Runnable beat) {

    /** For who does not watch. */
    public static final Heartbeat NONE = new Heartbeat(Duration.ofNanos(Long.MAX_VALUE), () -> {});
}
