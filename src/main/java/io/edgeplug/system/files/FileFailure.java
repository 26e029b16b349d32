package io.edgeplug.system.files;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

/** The failure of a call on a file, with the file's name. */
public final class FileFailure {

    private FileFailure() {}

    /** The same failure, or one that names the file: the JDK names none if a write fails, as on a full disk. */
    public static IOException named(Path file, IOException failure) {
        return failure instanceof FileSystemException
                ? failure
                : new IOException(file + ": " + failure.getMessage(), failure);
    }
}
