package io.edgeplug.api.dra;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Why a claim is not prepared yet.
 *
 * @param reason the message is a clause
 * @param patience how long to try again
 * @param isForbidden whether the identity may not read the claim
 */
record Delay(String reason, Duration patience, boolean isForbidden) {

    static Optional<Delay> of(@Nullable String reason, Duration patience) {
        return Optional.of(new Delay(String.valueOf(reason), patience, false));
    }
}
