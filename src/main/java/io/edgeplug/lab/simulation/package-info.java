/**
 * A node that exists only as files: a tree unpacked from text. Its PCI functions can be plugged, pulled and broken,
 * with the uevents that the kernel would send.
 *
 * <p>The entry type is {@link io.edgeplug.lab.simulation.SimulatedNode}. Any thread may change it and listen to it.
 */
package io.edgeplug.lab.simulation;
