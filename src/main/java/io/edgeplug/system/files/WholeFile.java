package io.edgeplug.system.files;

import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Writes a file in one step: under another name, and then renamed. A reader sees the file before, the new one, or none,
 * and a failure leaves the file before. All work is done relative to the open directory (openat(2)). A link in the place
 * of the file is replaced, not followed.
 */
public final class WholeFile {

    /** For this user alone. */
    public static final WholeFile OWN = new WholeFile("rw-------", false);

    /** The same, and on the disk when the call returns. Virtual threads must not call it: their carrier would wait. */
    public static final WholeFile DURABLE = new WholeFile("rw-------", true);

    /** Everybody may read it, whatever the umask is. */
    public static final WholeFile PUBLIC = new WholeFile("rw-r--r--", false);

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private final Set<PosixFilePermission> mode;
    private final boolean isDurable;

    /** Writes the content of a file. */
    public interface Content<E extends Exception> {
        void write(FileChannel file) throws IOException, E;
    }

    private WholeFile(String mode, boolean isDurable) {
        this.mode = PosixFilePermissions.fromString(mode);
        this.isDurable = isDurable;
    }

    /** A directory that only this user may see; it is made if it is missing. systemd gives the service's this mode too. */
    public static Path ownDirectory(Path directory) throws IOException {
        return Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    }

    /** On Linux all directory streams are of this type. The caller closes it. */
    @SuppressWarnings("StreamResourceLeak")
    public static SecureDirectoryStream<Path> open(Path directory) throws IOException {
        DirectoryStream<Path> opened = Files.newDirectoryStream(directory);
        return (SecureDirectoryStream<Path>) opened;
    }

    /** Writes a file. An interrupt of the thread does not prevent it. No two writers are in each other's way. */
    public void write(Path directory, String name, byte[] content) throws IOException {
        String aside = Unfinished.begin(directory, name);
        try {
            write(directory, aside, name, content);
        } finally {
            Unfinished.end(directory, aside);
        }
    }

    /**
     * The same.
     *
     * @param aside the name under which it is written; a file of that name is replaced
     */
    public void write(Path directory, String aside, String name, byte[] content) throws IOException {
        boolean wasInterrupted = Thread.interrupted();
        try (SecureDirectoryStream<Path> opened = open(directory)) {
            while (true) {
                try {
                    write(opened, aside, name, content);
                    sync(directory);
                    return;
                } catch (ClosedByInterruptException e) {
                    wasInterrupted |= Thread.interrupted();
                }
            }
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void sync(Path directory) throws IOException {
        if (isDurable) {
            try (FileChannel opened = FileChannel.open(directory)) {
                opened.force(true);
            }
        }
    }

    /** The same in an open directory. An interrupt ends it. */
    public void write(SecureDirectoryStream<Path> directory, String aside, String name, byte[] content)
            throws IOException {
        this.<RuntimeException>write(
                directory, aside, name, file -> Channels.newOutputStream(file).write(content));
    }

    /** The same with content that is never in memory as a whole. */
    public <E extends Exception> void write(
            SecureDirectoryStream<Path> directory, String aside, String name, Content<E> content)
            throws IOException, E {
        Path unfinished = Path.of(aside);
        boolean isDone = false;
        // A killed process may have left this file.
        delete(directory, unfinished);
        try {
            try (FileChannel file = create(directory, unfinished)) {
                content.write(file);
                if (isDurable) {
                    file.force(true);
                }
            }
            directory
                    .getFileAttributeView(unfinished, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                    .setPermissions(mode);
            directory.move(unfinished, directory, Path.of(name));
            isDone = true;
        } finally {
            if (!isDone) {
                deleteAfterFailure(directory, unfinished);
            }
        }
    }

    private static FileChannel create(SecureDirectoryStream<Path> directory, Path name) throws IOException {
        return (FileChannel) directory.newByteChannel(
                name,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS),
                PosixFilePermissions.asFileAttribute(OWN.mode));
    }

    private static void deleteAfterFailure(SecureDirectoryStream<Path> directory, Path name) {
        try {
            delete(directory, name);
        } catch (IOException e) {
            // The failure before it is reported. Whoever writes this file next replaces the rest of this one.
        }
    }

    /** Deletes a file, which may be missing. */
    public static void delete(SecureDirectoryStream<Path> directory, Path name) throws IOException {
        try {
            directory.deleteFile(name);
        } catch (NoSuchFileException e) {
            // The file is already gone.
        }
    }
}
