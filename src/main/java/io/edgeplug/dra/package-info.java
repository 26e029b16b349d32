/**
 * The driver of Dynamic Resource Allocation: what the scheduler is told of this node's devices, and what is done when a
 * claim is prepared on it.
 *
 * <p>Entry type: {@link io.edgeplug.dra.DraDriver}. The kubelet's calls come on one loop, and are answered by virtual threads
 * that may wait; one virtual thread publishes slices. Loaded only if a class says {@code api = "dra"}.
 */
package io.edgeplug.dra;
