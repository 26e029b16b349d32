/**
 * What Prometheus gets: the {@link io.edgeplug.status.NodeStatus} and the counters of ports, as text over HTTP and in a file.
 *
 * <p>Entry: {@link io.edgeplug.metrics.Metrics}. Nothing of this room is loaded unless metrics are turned on. It has threads of its
 * own, which nothing else waits for.
 */
package io.edgeplug.metrics;
