/**
 * The driver for Dynamic Resource Allocation. It publishes this node's devices for the scheduler, and prepares claims
 * for the kubelet.
 *
 * <p>Entry type: {@link io.edgeplug.api.dra.DraDriver}. The kubelet's calls come on one loop. Virtual threads answer them,
 * because an answer may have to wait; {@code Claims} says what is done with a claim. One virtual thread publishes
 * slices. The package is loaded only if a class has {@code api = "dra"}.
 */
package io.edgeplug.api.dra;
