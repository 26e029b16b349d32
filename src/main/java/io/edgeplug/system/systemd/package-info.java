/**
 * What systemd is told and asks for: the journal, readiness and watchdog, and the limits of the unit.
 *
 * <p>The entry types are {@link io.edgeplug.system.systemd.Journal} and {@link io.edgeplug.system.systemd.SystemdNotify}.
 */
package io.edgeplug.system.systemd;
