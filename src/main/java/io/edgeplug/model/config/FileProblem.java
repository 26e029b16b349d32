package io.edgeplug.model.config;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** The problem with a file, without its name. Some of the JDK's exceptions have only the name, or put it first. */
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
