package io.edgeplug.model.custody;

import java.time.Instant;
import java.util.Optional;

/**
 * What is being done to a device, or waits for its turn.
 *
 * @param user the UID of the claim whose choice may be the reason if it is in vain; empty if it would fail for anybody
 * @param since when it began, to the second
 * @param late what it waits for, once it takes longer than its class allows
 */
public record Work(Kind kind, String user, Instant since, Optional<String> late) {

    public enum Kind {
        /** The steps before a container. */
        PREPARE,
        /** The steps after the last user. */
        SCRUB,
        /** A function returns to its host driver. */
        RETURN
    }

    Work late(String progress) {
        return new Work(kind, user, since, Optional.of(progress));
    }
}
