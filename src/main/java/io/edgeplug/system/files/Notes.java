package io.edgeplug.system.files;

import io.edgeplug.system.kernel.KernelReason;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** Notes of edgeplug in a directory that only root may see, each in a file of its own: keys and values as text. */
public final class Notes {

    /** Many times the longest note. What is larger could not be read back. */
    private static final int MAX_BYTES = 64 << 10;

    private final Sysfs sysfs;
    private final String path;
    private final String suffix;

    /** The notes in a directory of the node, such as {@code run/edgeplug/prepare}. */
    public Notes(Sysfs sysfs, String path) {
        this(sysfs, path, "");
    }

    /** The notes in files with that suffix, beside which the directory may have others. */
    public Notes(Sysfs sysfs, String path, String suffix) {
        this.sysfs = sysfs;
        this.path = path;
        this.suffix = suffix;
    }

    /** The directory of the notes, and of other files that only root may see. It is made if it is missing. */
    public Path directory() throws IOException {
        return WholeFile.ownDirectory(sysfs.locate(path));
    }

    public void write(String name, Properties note) throws IOException {
        write(WholeFile.OWN, name, note);
    }

    /**
     * Writes a note that must survive a loss of power. Do not call it on a virtual thread, whose carrier would wait for
     * the disk.
     */
    public void writeForGood(String name, Properties note) throws IOException {
        write(WholeFile.DURABLE, name, note);
    }

    private void write(WholeFile way, String name, Properties note) throws IOException {
        byte[] bytes = bytes(note);
        if (bytes.length > MAX_BYTES) {
            throw new IOException(file(name) + ": the note would have more than " + (MAX_BYTES >> 10) + " KiB");
        }
        try {
            way.write(directory(), name + suffix, bytes);
        } catch (IOException e) {
            throw new IOException(file(name) + ": " + KernelReason.words(e), e);
        }
    }

    private static byte[] bytes(Properties note) throws IOException {
        StringWriter text = new StringWriter();
        note.store(text, null);
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Reads the text of a note.
     *
     * @throws IOException if it is none
     */
    public static Properties parse(String text) throws IOException {
        Properties note = new Properties();
        try {
            note.load(new StringReader(text));
        } catch (IllegalArgumentException e) {
            throw new IOException("is no note", e);
        }
        return note;
    }

    /**
     * The note; empty if there is none.
     *
     * @throws IOException if it cannot be read, or is not a note of edgeplug
     */
    public Optional<Properties> read(String name) throws IOException {
        Path file = file(name);
        byte[] text;
        try {
            if (FileStatus.of(file, LinkOption.NOFOLLOW_LINKS).kind() != FileKind.FILE) {
                throw new IOException(file + ": is no file");
            }
            try (var in = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
                text = in.readNBytes(MAX_BYTES + 1);
            }
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
        if (text.length > MAX_BYTES) {
            throw new IOException(file + ": is larger than a note");
        }
        try {
            return Optional.of(parse(new String(text, StandardCharsets.UTF_8)));
        } catch (IOException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** Whether there is a note; not for a user who may not look. */
    public boolean exists(String name) {
        return Files.exists(file(name), LinkOption.NOFOLLOW_LINKS);
    }

    /** The time of a note; empty if there is none. */
    public Optional<FileTime> time(String name) throws IOException {
        try {
            return Optional.of(Files.getLastModifiedTime(file(name), LinkOption.NOFOLLOW_LINKS));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    public void delete(String name) throws IOException {
        Files.deleteIfExists(file(name));
    }

    /** The names of all notes, without those that are being written or were not finished. */
    public List<String> names() throws IOException {
        return files().stream()
                .map(file -> String.valueOf(file.getFileName()))
                .filter(name -> name.endsWith(suffix) && !Unfinished.is(name))
                .map(name -> name.substring(0, name.length() - suffix.length()))
                .toList();
    }

    /**
     * All files in the directory, notes and others. None for a user who may not look: who is not root has nothing to
     * restore either.
     */
    public List<Path> files() throws IOException {
        return Files.isDirectory(sysfs.locate(path))
                ? sysfs.names(path).stream().map(sysfs.locate(path)::resolve).toList()
                : List.of();
    }

    /** The file of a note, which may not exist. */
    public Path file(String name) {
        return sysfs.locate(path + "/" + name + suffix);
    }

    /** The path of a note as the node has it, for a person. */
    public String place(String name) {
        return "/" + path + "/" + name + suffix;
    }
}
