/**
 * The metrics for Prometheus: the {@link io.edgeplug.api.status.NodeStatus} and the counters of ports, as text over HTTP
 * and in a file.
 *
 * <p>The entry type is {@link io.edgeplug.api.metrics.Metrics}. Nothing of this package is loaded unless metrics are turned
 * on. {@code Exposition} has every metric but the kernel's counters, which are in {@code PortCounters}. The package has
 * threads of its own, and nothing else waits for them.
 */
package io.edgeplug.api.metrics;
