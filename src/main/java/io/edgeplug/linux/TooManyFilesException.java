package io.edgeplug.linux;

import java.io.IOException;

/** A pattern names more files than were asked for. */
public final class TooManyFilesException extends IOException {

    private static final long serialVersionUID = 1;

    TooManyFilesException() {
        super("names too many files");
    }
}
