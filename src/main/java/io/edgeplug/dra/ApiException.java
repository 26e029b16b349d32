package io.edgeplug.dra;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** The API server has answered, and not with what was asked for. */
final class ApiException extends IOException {

    private static final long serialVersionUID = 1;

    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int GONE = 410;
    private static final int INVALID = 422;

    private final int status;
    private final transient Optional<Duration> retryAfter;

    /**
     * An answer.
     *
     * @param status of HTTP
     * @param retryAfter how long the server wants not to be asked again
     */
    ApiException(String message, int status, Optional<Duration> retryAfter) {
        super(message);
        this.status = status;
        this.retryAfter = retryAfter;
    }

    Optional<Duration> retryAfter() {
        return retryAfter;
    }

    boolean isNotFound() {
        return status == NOT_FOUND;
    }

    /** Whether what was sent is none that it takes. */
    boolean isInvalid() {
        return status == INVALID;
    }

    /** Whether what was changed is not as it was known any more, so that a new look at it helps at once. */
    boolean isOutdated() {
        return status == CONFLICT || status == NOT_FOUND || status == GONE;
    }
}
