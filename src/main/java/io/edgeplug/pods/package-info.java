/**
 * Which pods of this node hold which devices, as the kubelet notes and tells it and as pods leave it behind.
 *
 * <p>Entry type: {@link io.edgeplug.pods.KubeletPods}, which joins the four sources: {@link io.edgeplug.pods.HeldDevices}, one
 * reading of the kubelet's checkpoint, {@link io.edgeplug.pods.EndedPods}, {@code PodListing}, whose
 * {@link io.edgeplug.pods.PodNames} are the names, and {@link io.edgeplug.pods.PodEvents}. All read what others may have
 * written, so all of it is bounded.
 */
package io.edgeplug.pods;
