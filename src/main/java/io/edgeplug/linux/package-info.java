/**
 * The edge to the kernel and systemd: sysfs, uevents, Unix sockets, the journal. It knows nothing of devices.
 *
 * <p>The entry types are {@link io.edgeplug.linux.Sysfs} for reading, {@link io.edgeplug.linux.UeventSource} for
 * waiting, and {@link io.edgeplug.linux.UnixRpc} for gRPC over Unix sockets. Any thread may call readers. Whoever opens
 * a resource closes it.
 */
package io.edgeplug.linux;
