package io.edgeplug.api.dra;

import java.time.Duration;
import java.util.Optional;

/**
 * An answer of the API server, whose body may still be on its way.
 *
 * @param status the HTTP status
 * @param retryAfter the pause that the server asks for before the next request
 * @param keepsConnection whether it takes another request on the same connection
 */
record ApiAnswer(int status, Optional<Duration> retryAfter, boolean keepsConnection, ApiBody body) {

    private static final int OK = 200;
    private static final int NO_SUCCESS = 300;
    private static final int UNAUTHORIZED = 401;

    boolean isSuccess() {
        return status >= OK && status < NO_SUCCESS;
    }

    boolean isUnauthorized() {
        return status == UNAUTHORIZED;
    }
}
