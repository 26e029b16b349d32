/**
 * Where the kernel and systemd begin: sysfs, uevents, Unix sockets, the journal. Knows nothing of devices.
 *
 * <p>Entry types: {@link io.edgeplug.linux.Sysfs} for reading, {@link io.edgeplug.linux.UeventSource} for waiting,
 * {@link io.edgeplug.linux.UnixRpc} for gRPC over Unix sockets. Readers may be called from any thread; what opens a
 * resource is closed by whoever opened it.
 */
package io.edgeplug.linux;
