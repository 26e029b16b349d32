package io.edgeplug.model.custody;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * What the last users of a device may have left in it. It is noted on disk, from before their containers start until
 * the scrub is done.
 *
 * @param users their UIDs: of pods, or of claims
 * @param resource as which they used it; empty if the note cannot be read
 * @param isReleased whether all of them are gone for good; a static pod comes back with its old UID
 * @param mayRun whether their processes may still run, as far as was seen last
 * @param group the IOMMU group that they had with it
 */
public record Traces(
        Set<String> users, Optional<String> resource, boolean isReleased, boolean mayRun, OptionalInt group) {

    public Traces {
        users = Set.copyOf(users);
    }

    /** Traces by their note, which does not say whether somebody runs. */
    public Traces(Set<String> users, Optional<String> resource, boolean isReleased) {
        this(users, resource, isReleased, false, OptionalInt.empty());
    }

    /** The same, of users who had that IOMMU group with the device. */
    public Traces in(OptionalInt own) {
        return new Traces(users, resource, isReleased, mayRun, own);
    }

    /** The same, with what is known of the users' processes. */
    Traces running(boolean now) {
        return new Traces(users, resource, isReleased, now, group);
    }
}
