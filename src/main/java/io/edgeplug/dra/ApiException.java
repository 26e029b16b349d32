package io.edgeplug.dra;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** The API server has answered, but without success. */
final class ApiException extends IOException {

    private static final long serialVersionUID = 1;

    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int GONE = 410;
    private static final int INVALID = 422;

    private final int status;
    private final transient Optional<Duration> retryAfter;

    /**
     * An answer.
     *
     * @param status the HTTP status
     * @param retryAfter the pause that the server asks for before the next request
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

    /**
     * Whether the identity may not do this. The Node authorizer also answers so if a slice was deleted meanwhile, because
     * it allows a node only its own slices.
     */
    boolean isForbidden() {
        return status == FORBIDDEN;
    }

    /** Whether the server rejects the content of the request. */
    boolean isInvalid() {
        return status == INVALID;
    }

    /** Whether the object has changed since it was read, so that reading it again helps at once. */
    boolean isOutdated() {
        return status == CONFLICT || status == NOT_FOUND || status == GONE;
    }
}
