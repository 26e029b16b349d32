package io.edgeplug.system.kernel;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The kind of reason for which the kernel refused a call. The JDK and Netty hide its number, so the kernel's words are
 * compared, but only here.
 */
@SuppressWarnings("ImmutableEnumChecker") // The list cannot be changed.
public enum KernelReason {
    /** There is no such file or device. The last is for a name that no file can have. */
    ABSENT(
            "No such file or directory",
            "Not a directory",
            "No such device",
            "No such device or address",
            "File name too long"),
    /** Somebody else uses it, or it is not ready yet. */
    BUSY("Device or resource busy"),
    /** This user or this process may not. */
    DENIED("Permission denied"),
    /** The kernel or a sandbox allows it to nobody here. */
    FORBIDDEN("Operation not permitted"),
    /** Of IP, if the sandbox of the service allows none. */
    NO_SUCH_FAMILY("Address family not supported by protocol"),
    /** Nobody listens there. */
    REFUSED("Connection refused"),
    /** There is not enough memory, or no room on the disk or the bus. */
    NO_ROOM("No space left on device", "Cannot allocate memory"),
    INVALID("Invalid argument"),
    UNSUPPORTED("Operation not supported"),
    READ_ONLY("Read-only file system"),
    /** The second text is that of the JDK. */
    LOOP(
            "Too many levels of symbolic links",
            "Too many levels of symbolic links or unable to access attributes of symbolic link"),
    OTHER();

    /** Netty puts the failed call before the words, and an address after them. */
    private static final Pattern OF_NETTY = Pattern.compile("error\\(-?\\d+\\): ([A-Za-z ]+)");

    private static final KernelReason[] ALL = values();

    private final List<String> words;

    KernelReason(String... words) {
        this.words = List.of(words);
    }

    /** The kind of a failure: its own, or that of the first of its causes that has one. */
    public static KernelReason of(Throwable failure) {
        KernelReason kind = OTHER;
        for (Throwable one = failure; one != null && kind == OTHER; one = one.getCause()) {
            kind = ofOne(one);
        }
        return kind;
    }

    /** Whether nobody serves a socket. A process that was killed leaves its file. */
    public static boolean isNobodyThere(Throwable failure) {
        KernelReason reason = of(failure);
        return reason == REFUSED || reason == ABSENT;
    }

    private static KernelReason ofOne(Throwable failure) {
        if (failure instanceof NoSuchFileException || failure instanceof FileNotFoundException) {
            return ABSENT;
        }
        // The words are a part of their own, with the failed call before them or an address after them.
        String parts = ": " + words(failure) + ": ";
        for (KernelReason kind : ALL) {
            for (String words : kind.words) {
                if (parts.contains(": " + words + ": ")) {
                    return kind;
                }
            }
        }
        return OTHER;
    }

    /** The words of a failure, without the file's name that the JDK puts before them. */
    public static String words(Throwable failure) {
        // A switch over types is compiled at run time, which takes 18 ms of each start.
        if (failure instanceof NoSuchFileException) {
            return "No such file or directory";
        }
        if (failure instanceof NotDirectoryException) {
            return "Not a directory";
        }
        if (failure instanceof AccessDeniedException) {
            return "Permission denied";
        }
        if (failure instanceof FileAlreadyExistsException) {
            return "File exists";
        }
        if (failure instanceof DirectoryNotEmptyException) {
            return "Directory not empty";
        }
        String reason = failure instanceof FileSystemException file ? file.getReason() : null;
        return reason == null ? String.valueOf(failure.getMessage()) : reason;
    }

    /** The same failure, or one that names the file: the JDK names none if a write fails, as on a full disk. */
    public static IOException named(Path file, IOException failure) {
        return failure instanceof FileSystemException
                ? failure
                : new IOException(file + ": " + failure.getMessage(), failure);
    }

    /** The words of the last cause, which comes from the kernel or from TLS. */
    public static String rootWords(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String words = root.getMessage() == null ? root.toString() : words(root);
        Matcher netty = OF_NETTY.matcher(words);
        return netty.find() ? netty.group(1) : words;
    }

    /**
     * The words of the last cause. If the sandbox of the service is it, they say so.
     *
     * @param page of the handbook that has the drop-in, such as {@code dra.md}
     */
    public static String adviceOnIp(Throwable failure, String page) {
        KernelReason kind = of(failure);
        String advice = kind == NO_SUCH_FAMILY || kind == FORBIDDEN
                ? "the sandbox of the service allows no IP; /usr/share/doc/edgeplug/" + page
                        + " has the drop-in that does: "
                : "";
        return advice + rootWords(failure);
    }
}
