/**
 * One reading of a node's sysfs: the devices and their state. It writes nothing.
 *
 * <p>The entry types are {@link io.edgeplug.node.scan.DeviceScan} for devices, and {@link io.edgeplug.node.scan.HealthScan} for
 * the health conditions of their class. Nothing is kept from one reading to the next. A reading may hang in the kernel,
 * so it runs only on a thread that may be lost: see {@code ScanThread} in the inventory.
 */
package io.edgeplug.node.scan;
