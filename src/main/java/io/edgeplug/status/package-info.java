/**
 * The daemon's view of itself: one immutable {@link io.edgeplug.status.NodeStatus}, of which the answers to {@code edgeplug
 * status}, metrics and node labels are made.
 *
 * <p>{@link io.edgeplug.status.NodeView} reads it whenever somebody asks, on the thread of whoever asks; it may read a
 * file of the kubelet's, so never on a shared thread. Nothing here changes what the daemon does.
 */
package io.edgeplug.status;
