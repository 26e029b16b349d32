/**
 * What a device is: values, selectors and one pure scan.
 *
 * <p>Entry types: {@link io.edgeplug.device.DeviceScan} makes {@link io.edgeplug.device.Device}s of a sysfs, a {@link
 * io.edgeplug.device.DeviceClass} says which of them back which resource. No threads, no clock, no log; every value is
 * immutable.
 */
package io.edgeplug.device;
