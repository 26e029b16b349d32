package io.edgeplug.system.files;

/** A look at a path may never return, as in a file system of a server, and nobody waits for it. */
public final class FarPathException extends RuntimeException {

    private static final long serialVersionUID = 1;

    /** The message is the path, or the reason why it is not looked at. */
    public FarPathException(String message) {
        // Only the caller's next step depends on it, so it needs no stack trace.
        super(message, null, false, false);
    }
}
