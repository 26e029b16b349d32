package io.edgeplug.model.custody;

import java.util.OptionalInt;

/**
 * A device as one resource offers it.
 *
 * @param device its ID
 * @param isScrubbed whether it is scrubbed between two users, so that a start waits for the scrub
 * @param isClaimed whether pods claim it, and the device plugin does not hand it out
 * @param isShared whether pods get shares of the device, and never the device itself
 * @param group the IOMMU group that a container gets with it, which the kernel opens for one user at a time; empty if
 *     the device is not handed over with VFIO
 */
public record Face(
        String device, String resource, boolean isScrubbed, boolean isClaimed, boolean isShared, OptionalInt group) {}
