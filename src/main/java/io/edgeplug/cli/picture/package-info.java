/**
 * Draws a node: its NUMA nodes, what PCI Express connects to them, and the devices with their resources and pods.
 *
 * <p>The entry type is {@link io.edgeplug.cli.picture.NodeTree}, which {@link io.edgeplug.cli.picture.TreeText} draws for a
 * terminal and {@link io.edgeplug.cli.picture.SvgPicture} as an image. Values only; any thread may use them.
 */
package io.edgeplug.cli.picture;
