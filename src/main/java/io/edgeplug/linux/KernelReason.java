package io.edgeplug.linux;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.Set;

/** The kernel's words for the failure of a call on a file. */
final class KernelReason {

    private static final Set<String> ABSENT = Set.of(
            "No such file or directory",
            "Not a directory",
            "No such device",
            "No such device or address",
            // This is for a name that no file can have.
            "File name too long");

    /** The JDK adds more text after these words. */
    private static final String LOOP = "Too many levels of symbolic links";

    private KernelReason() {}

    /** The kernel's words in an exception of the JDK, which has its own classes for some of them. */
    static String of(IOException e) {
        // A switch over types is compiled at run time, which takes 18 ms of each start.
        if (e instanceof NoSuchFileException) {
            return "No such file or directory";
        }
        if (e instanceof NotDirectoryException) {
            return "Not a directory";
        }
        if (e instanceof AccessDeniedException) {
            return "Permission denied";
        }
        return String.valueOf(e instanceof FileSystemException other ? other.getReason() : e.getMessage());
    }

    /** Whether the reason means that there is no such file. */
    static boolean isAbsence(String reason) {
        return ABSENT.contains(reason);
    }

    /** Whether the call ran into a loop of links. */
    static boolean isLoop(Throwable problem) {
        return problem instanceof FileSystemException file
                && String.valueOf(file.getReason()).startsWith(LOOP);
    }
}
