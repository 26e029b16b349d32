/**
 * Devices as values, which never change and are safe for all threads.
 *
 * <p>The entry type is {@link io.edgeplug.model.device.Device}, with one subtype for each sort of device that backs a
 * resource. The two exceptions say in a sentence for a pod's events why a device cannot be given or prepared.
 */
package io.edgeplug.model.device;
