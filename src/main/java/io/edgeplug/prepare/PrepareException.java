package io.edgeplug.prepare;

/** A device could not be prepared; the message names the step and its cause: {@code reset: write reset: …}. */
public final class PrepareException extends Exception {

    private static final long serialVersionUID = 1;

    PrepareException(String message) {
        super(message);
    }

    PrepareException(String message, Throwable cause) {
        super(message, cause);
    }
}
