package io.edgeplug.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** What is wrong with a file, without its name, which the JDK's exceptions put first or leave alone. */
final class FileProblem {

    private FileProblem() {}

    static String of(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> "no such file";
            case AccessDeniedException denied -> "permission denied";
            case NotDirectoryException file -> "is a file, not a directory";
            case FileSystemException other -> String.valueOf(other.getReason());
            default -> String.valueOf(e.getMessage());
        };
    }
}
