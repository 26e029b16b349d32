package io.edgeplug.prepare;

import io.edgeplug.device.PciAddress;
import io.edgeplug.linux.Sysfs;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

/** Notes about functions and devices, by name, in files that survive this process but not this boot. */
final class Notes {

    private static final String PART = ".part";

    /** Makes names unique, so that two threads or processes with the same note use two files. */
    private static final AtomicLong COUNT = new AtomicLong();

    /**
     * The mode that systemd gives the service's directory. A user who may open a lock's file could block the daemon.
     */
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    /** Many times the longest note. */
    private static final int MAX_BYTES = 64 << 10;

    private final Sysfs sysfs;
    private final String path;

    /** The notes in a directory of the node, such as {@code run/edgeplug/prepare}. */
    Notes(Sysfs sysfs, String path) {
        this.sysfs = sysfs;
        this.path = path;
    }

    /** The directory of the notes, and of other files that only root may see. */
    Path directory() throws IOException {
        return ownDirectory(sysfs, path);
    }

    /**
     * A directory of edgeplug by its path on the node, such as {@code run/edgeplug/lock}. It is made if it does not
     * exist.
     */
    static Path ownDirectory(Sysfs sysfs, String path) throws IOException {
        return Files.createDirectories(sysfs.locate(path), PosixFilePermissions.asFileAttribute(OWNER_ONLY));
    }

    void write(String name, Properties note) throws IOException {
        replace(name, part -> {
            try (var out = Files.newBufferedWriter(part, StandardCharsets.UTF_8)) {
                note.store(out, null);
            }
        });
    }

    /** Writes a file with the text of a note. */
    private interface Writing {
        void write(Path part) throws IOException;
    }

    /** Puts a file in the place of a note once it is written. If that fails, nothing of it is left. */
    private void replace(String name, Writing writing) throws IOException {
        Path part = part(name);
        try {
            writing.write(part);
            Files.move(part, file(name), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            deleteAfter(e, part);
            throw e;
        }
    }

    private static void deleteAfter(IOException failure, Path part) {
        try {
            boolean ignored = Files.deleteIfExists(part);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }

    private Path part(String name) throws IOException {
        return directory().resolve(name + "." + ProcessHandle.current().pid() + "." + COUNT.incrementAndGet() + PART);
    }

    /**
     * Writes a note that must survive a loss of power. Do not call it on a virtual thread, whose carrier would wait for
     * the disk.
     */
    void writeForGood(String name, Properties note) throws IOException {
        StringWriter text = new StringWriter();
        note.store(text, null);
        replace(name, part -> {
            try (FileChannel file = FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                ByteBuffer bytes = StandardCharsets.UTF_8.encode(text.toString());
                while (bytes.hasRemaining()) {
                    int ignored = file.write(bytes);
                }
                file.force(true);
            }
        });
        try (FileChannel directory = FileChannel.open(directory(), StandardOpenOption.READ)) {
            directory.force(true);
        }
    }

    /**
     * The note; empty if there is none.
     *
     * @throws IOException if it cannot be read, or is not a note of edgeplug
     */
    Optional<Properties> read(String name) throws IOException {
        if (Files.exists(file(name), LinkOption.NOFOLLOW_LINKS)
                && !Files.isRegularFile(file(name), LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException(file(name) + ": is no file");
        }
        byte[] text;
        try (var in = Files.newInputStream(file(name), LinkOption.NOFOLLOW_LINKS)) {
            text = in.readNBytes(MAX_BYTES);
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        Properties note = new Properties();
        try {
            note.load(new StringReader(new String(text, StandardCharsets.UTF_8)));
        } catch (IllegalArgumentException e) {
            throw new IOException(file(name) + ": is no note", e);
        }
        return Optional.of(note);
    }

    /** The time of a note; empty if there is none. */
    Optional<FileTime> time(String name) throws IOException {
        try {
            return Optional.of(Files.getLastModifiedTime(file(name), LinkOption.NOFOLLOW_LINKS));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    void delete(String name) throws IOException {
        Files.deleteIfExists(file(name));
    }

    /** The functions that have a note. */
    List<PciAddress> functions() throws IOException {
        return names().stream().flatMap(name -> PciAddress.parse(name).stream()).toList();
    }

    /** Other files in the directory, of processes that run or were killed. */
    List<Path> others() throws IOException {
        return names().stream()
                .filter(name -> PciAddress.parse(name).isEmpty())
                .map(name -> sysfs.locate(path + "/" + name))
                .toList();
    }

    /** The files of notes that were never finished, of processes that write them now or were killed. */
    List<Path> unfinished() throws IOException {
        return names().stream()
                .filter(name -> name.endsWith(PART))
                .map(this::file)
                .toList();
    }

    /** None for a user who may not look: who is not root has nothing to restore either. */
    List<String> names() throws IOException {
        return Files.isDirectory(sysfs.locate(path)) ? sysfs.names(path) : List.of();
    }

    private Path file(String name) {
        return sysfs.locate(path + "/" + name);
    }
}
