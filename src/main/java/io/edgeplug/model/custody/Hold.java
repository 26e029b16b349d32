package io.edgeplug.model.custody;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * A device, or a share of it, that somebody has.
 *
 * @param resource as which the user has it; it may be another plugin's
 * @param group the IOMMU group that the user has with it
 * @param starts how many starts of containers wait for the device
 * @param hasStarted whether a container may have started with it, and then may do so again without asking
 * @param before the user before this one, whom the kubelet may still note or whose processes may still run
 * @param told the user's name in the log line that said so; empty if there was none yet. An Allocate has that of the
 *     user before, who may get the device again
 */
public record Hold(
        User user,
        String resource,
        OptionalInt group,
        int starts,
        boolean hasStarted,
        Optional<User> before,
        Optional<String> told) {

    /** A hold of which nothing was told, and for which no start waits. */
    static Hold of(User user, String resource, OptionalInt group) {
        return new Hold(user, resource, group, 0, false, Optional.empty(), Optional.empty());
    }

    Hold after(Optional<User> earlier) {
        return new Hold(user, resource, group, starts, hasStarted, earlier, told);
    }

    Hold by(User same) {
        return new Hold(same, resource, group, starts, hasStarted, before, told);
    }

    /** The group may become known later. It is not forgotten, because nobody sees that of a device that is gone. */
    Hold in(OptionalInt seen) {
        return seen.isEmpty() ? this : new Hold(user, resource, seen, starts, hasStarted, before, told);
    }

    Hold starting(int more) {
        return new Hold(user, resource, group, Math.max(0, starts + more), hasStarted, before, told);
    }

    Hold started(boolean isSeen) {
        return new Hold(user, resource, group, starts, hasStarted || isSeen, before, told);
    }

    Hold told(Optional<String> name) {
        return new Hold(user, resource, group, starts, hasStarted, before, name);
    }

    /** Whether its user is an Allocate that the kubelet has not noted yet. */
    public boolean isGrant() {
        return user instanceof User.Grant;
    }

    /** Whether a face is another one than that as which the user has the device. */
    public boolean isOther(Face face) {
        // The device plugin and claims know nothing of each other, also where their resources have one name.
        return !resource.equals(face.resource()) || face.isClaimed() != user instanceof User.Claim;
    }
}
