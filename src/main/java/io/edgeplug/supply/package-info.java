/**
 * What this node can hand over now, kept ready; a device is made fit when that is asked for, and given back when it is
 * released.
 *
 * <p>Entry types: {@link io.edgeplug.supply.Supplies}, which has one supply for each resource; {@link
 * io.edgeplug.supply.Resource}, which answers what a front of the house is asked (allocate, prefer, prepare); {@link
 * io.edgeplug.supply.Releases}, which follows who holds what. It knows of no API of the kubelet's. A supply's one thread
 * looks at files and writes them; whoever asks reads the {@link io.edgeplug.supply.Stock} that it has published.
 */
package io.edgeplug.supply;
