/**
 * Which pods of this node hold which devices, by the kubelet's notes and answers and by the traces of pods.
 *
 * <p>The entry type is {@link io.edgeplug.pods.KubeletPods}, which joins four sources:
 * {@link io.edgeplug.pods.HeldDevices}, one reading of the kubelet's checkpoint; {@link io.edgeplug.pods.EndedPods};
 * {@code PodListing}, which has the names of pods as {@link io.edgeplug.pods.PodNames}; and
 * {@link io.edgeplug.pods.PodEvents}. All of them read files and answers that others may have written, so everything
 * has limits.
 */
package io.edgeplug.pods;
