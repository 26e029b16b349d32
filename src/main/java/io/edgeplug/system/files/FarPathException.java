package io.edgeplug.system.files;

/** A look at a path may never return, as in a file system of a server, and the caller cannot wait that long. */
public final class FarPathException extends RuntimeException {

    private static final long serialVersionUID = 1;

    FarPathException(String path) {
        // Only the caller's next step depends on it, so it needs no stack trace.
        super(path, null, false, false);
    }
}
