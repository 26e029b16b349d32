/**
 * A node that is not there: a file tree unpacked from text, whose PCI functions can be plugged, pulled and broken, with
 * the uevents that the kernel would send.
 *
 * <p>Entry type: {@link io.edgeplug.simulation.SimulatedNode}. It may be changed and listened to from any thread.
 */
package io.edgeplug.simulation;
