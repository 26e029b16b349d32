/**
 * What a device is: values, which nobody changes and any thread may use.
 *
 * <p>Entry type: {@link io.edgeplug.device.Device}, of which there is a kind for each thing that backs a resource. The two
 * exceptions say why a device cannot be given, or was not made fit, in a sentence that a pod's events show.
 */
package io.edgeplug.device;
