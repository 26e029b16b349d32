/**
 * One pure reading of a node's sysfs: what devices there are, and how they are.
 *
 * <p>Entry types: {@link io.edgeplug.scan.DeviceScan} for devices, and {@link io.edgeplug.scan.HealthScan} for what their
 * class asks of their health. Nothing is kept from one reading to the next, and nothing is written. A reading may hang in the
 * kernel, so only a thread that may be lost makes it: see {@code ScanThread} in the inventory.
 */
package io.edgeplug.scan;
