/**
 * What the kernel or udevd reports of devices.
 *
 * <p>The entry type is {@link io.edgeplug.system.udev.UeventSource}. An event only means that a device is worth another look.
 */
package io.edgeplug.system.udev;
