/**
 * The devices of a node as commands show them.
 *
 * <p>The entry types are {@link io.edgeplug.cli.devices.ScannedNode}, one reading of the node, and {@link io.edgeplug.cli.devices.Column}, what is told of each device.
 */
package io.edgeplug.cli.devices;
