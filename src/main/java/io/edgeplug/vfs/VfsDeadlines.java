package io.edgeplug.vfs;

import java.time.Duration;

/**
 * How long each thing may take.
 *
 * @param appear until a PF that is on the bus has its driver and its name
 * @param look for one look whether it has, before the kernel is taken to hang
 * @param count until the kernel has made or removed VFs, which takes some adapters minutes
 * @param links until each VF shows
 * @param step any other step
 * @param busy until the kernel no longer says that a PF is busy, or a driver is there that is being loaded
 * @param patience after which it is told which step takes its time
 */
public record VfsDeadlines(
        Duration appear,
        Duration look,
        Duration count,
        Duration links,
        Duration step,
        Duration busy,
        Duration patience) {

    /** What real adapters need, and more. */
    public static final VfsDeadlines USUAL = new VfsDeadlines(
            Duration.ofSeconds(30),
            Duration.ofSeconds(5),
            Duration.ofMinutes(5),
            Duration.ofMinutes(1),
            Duration.ofSeconds(60),
            Duration.ofSeconds(20),
            Duration.ofSeconds(10));
}
