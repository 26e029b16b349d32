/**
 * Which pods of this node hold which devices, by the kubelet's notes and answers and by the traces of pods.
 *
 * <p>The entry type is {@link io.edgeplug.node.pods.KubeletPods}, which joins four sources:
 * {@link io.edgeplug.node.pods.HeldDevices}, one reading of the kubelet's checkpoint; {@link io.edgeplug.node.pods.EndedPods};
 * {@code PodListing}, which has the names of pods as {@link io.edgeplug.node.pods.PodNames}; and
 * {@link io.edgeplug.node.pods.PodEvents}. Commands that run beside the daemon ask {@link io.edgeplug.node.pods.Holdings}. All of
 * them read files and answers that others may have written, so everything
 * has limits.
 */
package io.edgeplug.node.pods;
