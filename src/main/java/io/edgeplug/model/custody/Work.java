package io.edgeplug.model.custody;

import java.time.Instant;
import java.util.Optional;

/**
 * What is being done to a device, or waits for its turn.
 *
 * @param since when it began, to the second
 * @param late what it waits for, once it takes longer than its class allows
 */
public record Work(Kind kind, Instant since, Optional<String> late) {

    public enum Kind {
        /** The steps before a container. */
        PREPARE,
        /** The steps after the last user. */
        SCRUB,
        /** A function returns to its host driver. */
        RETURN
    }

    Work late(String progress) {
        return new Work(kind, since, Optional.of(progress));
    }
}
