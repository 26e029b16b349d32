package io.edgeplug.node.container;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import io.edgeplug.system.files.ForeignFile;
import io.edgeplug.system.files.WholeFile;
import io.edgeplug.system.kernel.KernelReason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The files of one resource in a directory that others use too. A reader sees either a whole file or none.
 *
 * <p>Names are plain file names. No symbolic link in the directory is followed, and one in the place of a file is
 * replaced. One thread at a time writes; any may ask whether a file is as it was written.
 */
final class KeptFiles {

    /** The prefix of a file that is being written. Readers of the directory skip such files. */
    private static final String UNFINISHED = ".edgeplug_";

    private static final Set<PosixFilePermission> MODE = PosixFilePermissions.fromString("rw-r--r--");
    private static final Set<PosixFilePermission> DIRECTORY_MODE = PosixFilePermissions.fromString("rwxr-xr-x");
    private static final String PROCESS = ProcessHandle.current().pid() + "_";
    private static final AtomicLong NUMBER = new AtomicLong();

    private final Path directory;
    private final Predicate<String> isOurs;
    private final Map<String, Written> written = new ConcurrentHashMap<>();

    /** Files that may exist and may be wrong: from an earlier run, or because writing or removing them failed. */
    private final Set<String> inherited = new HashSet<>();

    /** A run cannot leave more names than this. More come from somebody else, and wait for the next call. */
    private static final int MAX_INHERITED = 40_000;

    private boolean hasInherited;

    private boolean hasMore;

    /** The attributes of a file when it was written. If they differ later, somebody has changed it. */
    private record Written(Object inode, FileTime changed, long size) {

        static Written of(PosixFileAttributes attributes) {
            return new Written(
                    Objects.requireNonNull(attributes.fileKey()), attributes.lastModifiedTime(), attributes.size());
        }
    }

    /**
     * The files in that directory, which may not exist yet.
     *
     * @param isOurs recognizes the names of files that an earlier run may have left
     */
    KeptFiles(Path directory, Predicate<String> isOurs) {
        this.directory = directory;
        this.isOurs = isOurs;
    }

    /**
     * Makes these the files that are kept. Writes those that are missing or wrong, and removes others that were kept
     * before.
     *
     * @return by name, why a file could not be written; empty if all were
     */
    Map<String, String> keep(Map<String, byte[]> files) {
        if (files.isEmpty() && !Files.isDirectory(directory)) {
            written.clear();
            return Map.of();
        }
        return write(files, open -> {
            Set<String> others = new HashSet<>(written.keySet());
            others.addAll(inherited);
            others.removeAll(files.keySet());
            inherited.clear();
            remove(open, others);
        });
    }

    /**
     * Writes these files if they are missing or wrong, and leaves others alone that were kept before. Files of an
     * earlier run wait for {@link #keep}.
     *
     * @param unwanted names of files to remove
     * @return as {@link #keep}
     */
    Map<String, String> update(Map<String, byte[]> files, Collection<String> unwanted) {
        List<String> known = unwanted.stream()
                .filter(name -> written.containsKey(name) || inherited.contains(name))
                .toList();
        return files.isEmpty() && known.isEmpty() ? Map.of() : write(files, open -> remove(open, known));
    }

    private Map<String, String> write(Map<String, byte[]> files, Consumer<SecureDirectoryStream<Path>> afterwards) {
        Map<String, String> problems = new TreeMap<>();
        try {
            make(directory);
            try (SecureDirectoryStream<Path> open = WholeFile.open(directory)) {
                inherit(open);
                files.forEach((name, content) -> writeIfOther(open, name, content)
                        .ifPresent(reason ->
                                problems.put(name, "cannot write " + directory + "/" + name + ": " + reason)));
                afterwards.accept(open);
            } catch (DirectoryIteratorException e) {
                throw Objects.requireNonNull(e.getCause());
            }
        } catch (IOException e) {
            files.keySet()
                    .forEach(name ->
                            problems.put(name, "cannot write files in " + directory + ": " + KernelReason.words(e)));
        }
        for (String name : problems.keySet()) {
            if (written.remove(name) != null) {
                inherited.add(name);
            }
        }
        return problems;
    }

    /** Whether there may be files to remove or to put right, which {@link #keep} does. */
    boolean hasLeftovers() {
        return !inherited.isEmpty() || hasMore;
    }

    /** Whether a file is as it was last written. */
    boolean isUntouched(String name) {
        Written expected = written.get(name);
        if (expected == null) {
            return false;
        }
        try {
            PosixFileAttributes found =
                    Files.readAttributes(directory.resolve(name), PosixFileAttributes.class, NOFOLLOW_LINKS);
            return expected.equals(Written.of(found)) && found.permissions().equals(MODE);
        } catch (IOException e) {
            return false;
        }
    }

    private static void make(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            Files.createDirectories(directory, PosixFilePermissions.asFileAttribute(DIRECTORY_MODE));
        }
    }

    private void inherit(SecureDirectoryStream<Path> open) {
        if (hasInherited && !hasMore) {
            return;
        }
        hasInherited = true;
        hasMore = false;
        for (Path path : open) {
            String name = String.valueOf(path.getFileName());
            if ((isOurs.test(name) && !written.containsKey(name)) || isAbandoned(name)) {
                hasMore = inherited.size() == MAX_INHERITED;
                if (hasMore) {
                    return;
                }
                inherited.add(name);
            }
        }
    }

    /** Whether a killed process had begun to write the file. */
    private static boolean isAbandoned(String name) {
        return name.startsWith(UNFINISHED) && !name.startsWith(UNFINISHED + PROCESS);
    }

    private Optional<String> writeIfOther(SecureDirectoryStream<Path> open, String name, byte[] content) {
        try {
            try {
                ensure(open, name, content);
            } catch (NoSuchFileException e) {
                // Somebody who cleans the directory has removed the file between two looks.
                ensure(open, name, content);
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(KernelReason.words(e));
        }
    }

    private void ensure(SecureDirectoryStream<Path> open, String name, byte[] content) throws IOException {
        if (!holds(open, name, content)) {
            WholeFile.PUBLIC.write(open, UNFINISHED + PROCESS + NUMBER.incrementAndGet(), name, content);
        }
        written.put(name, Written.of(attributes(open, Path.of(name))));
    }

    private boolean holds(SecureDirectoryStream<Path> open, String name, byte[] content) throws IOException {
        Path path = Path.of(name);
        try {
            PosixFileAttributes found = attributes(open, path);
            if (found.isDirectory()) {
                throw new IOException("is a directory");
            }
            if (!found.isRegularFile()
                    || found.size() != content.length
                    || !found.permissions().equals(MODE)) {
                return false;
            }
        } catch (NoSuchFileException e) {
            return false;
        }
        // The file may have become a FIFO since then, and opening that would wait for ever.
        try (InputStream file = ForeignFile.open(directory.resolve(name), content.length)) {
            return Arrays.equals(file.readNBytes(content.length + 1), content);
        } catch (ForeignFile.TooLargeException e) {
            return false;
        }
    }

    private void remove(SecureDirectoryStream<Path> open, Collection<String> names) {
        for (String name : names) {
            written.remove(name);
            inherited.remove(name);
            if (!delete(open, Path.of(name))) {
                inherited.add(name);
            }
        }
    }

    /** Returns whether it is gone. It stays if somebody has put a directory there. */
    private static boolean delete(SecureDirectoryStream<Path> open, Path name) {
        try {
            open.deleteFile(name);
            return true;
        } catch (NoSuchFileException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static PosixFileAttributes attributes(SecureDirectoryStream<Path> open, Path name) throws IOException {
        return view(open, name).readAttributes();
    }

    private static PosixFileAttributeView view(SecureDirectoryStream<Path> open, Path name) {
        return open.getFileAttributeView(name, PosixFileAttributeView.class, NOFOLLOW_LINKS);
    }
}
