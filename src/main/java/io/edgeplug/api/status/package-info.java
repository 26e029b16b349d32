/**
 * The state of the daemon as one immutable {@link io.edgeplug.api.status.NodeStatus}. The answers to
 * {@code edgeplug status}, the metrics and the node's labels are made of it.
 *
 * <p>{@link io.edgeplug.api.status.NodeView} makes it on the thread of the caller. It may read a file of the kubelet, so it
 * never runs on a shared thread. Nothing here changes the behaviour of the daemon.
 */
package io.edgeplug.api.status;
