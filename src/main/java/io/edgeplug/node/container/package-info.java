/**
 * What a container gets with its devices.
 *
 * <p>The entry types are {@link io.edgeplug.node.container.Equipment}, what one device brings, and
 * {@link io.edgeplug.node.container.Allocation}, what a container gets with some devices. Both are pure functions for any
 * thread. {@link io.edgeplug.node.container.CdiSpecs} and {@link io.edgeplug.node.container.DeviceInfoFiles} keep files, each for
 * one thread at a time. Any thread may ask them whether a file is as it was written.
 */
package io.edgeplug.node.container;
