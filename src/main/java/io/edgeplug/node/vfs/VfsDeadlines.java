package io.edgeplug.node.vfs;

import java.time.Duration;

/**
 * How long each operation may take.
 *
 * @param appear until a PF on the bus has its driver and its name
 * @param look for one such look, before the kernel counts as hanging
 * @param count until the kernel has made or removed VFs, which takes minutes on some adapters
 * @param links until each VF is visible
 * @param step any other step
 * @param busy until the kernel no longer reports a PF as busy, or until a driver is loaded
 * @param patience after which a slow step is reported
 */
public record VfsDeadlines(
        Duration appear,
        Duration look,
        Duration count,
        Duration links,
        Duration step,
        Duration busy,
        Duration patience) {

    /** More than real adapters need. */
    public static final VfsDeadlines USUAL = new VfsDeadlines(
            Duration.ofSeconds(30),
            Duration.ofSeconds(5),
            Duration.ofMinutes(5),
            Duration.ofMinutes(1),
            Duration.ofSeconds(60),
            Duration.ofSeconds(20),
            Duration.ofSeconds(10));
}
