/**
 * Devices that this node can hand over now, kept ready. A device is prepared when it is asked for, and restored when it
 * is released.
 *
 * <p>The entry types are {@link io.edgeplug.node.supply.Supplies}, which has one supply for each resource;
 * {@link io.edgeplug.node.supply.Resource}, which answers the calls of an API (allocate, prefer, prepare); and
 * {@link io.edgeplug.node.supply.CustodyThread}, which follows the holders. The package knows no API of the kubelet. The
 * one thread of a supply looks at files and writes them. All callers read the
 * {@link io.edgeplug.node.supply.Stock} that it has published.
 */
package io.edgeplug.node.supply;
