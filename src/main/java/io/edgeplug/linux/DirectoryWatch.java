package io.edgeplug.linux;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Tells when files may have come or gone in a directory, which itself may be missing or replaced; inotify(7).
 *
 * <p>It names files and does not say what became of them: events are hints, and the directory is the truth. One thread at
 * a time. The JDK's own inotify is enough for names in one directory; {@link FileWatch} also tells of attributes, links and
 * mounts, for which it calls libc.
 */
public final class DirectoryWatch implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(DirectoryWatch.class.getName());

    private final Path directory;
    private final Optional<Path> child;
    private final WatchService inotify;
    private List<WatchKey> watched = List.of();
    private boolean warned;

    private DirectoryWatch(Path directory, Optional<Path> child, WatchService inotify) {
        this.directory = directory;
        this.child = child;
        this.inotify = inotify;
    }

    /** Starts to watch; what happens from here on is not missed. */
    public static DirectoryWatch open(Path directory) throws IOException {
        return open(directory, Optional.empty());
    }

    /** Starts to watch a directory, and one in it, which may be missing or replaced as well. */
    public static DirectoryWatch open(Path directory, String child) throws IOException {
        return open(directory, Optional.of(directory.toAbsolutePath().resolve(child)));
    }

    private static DirectoryWatch open(Path directory, Optional<Path> child) throws IOException {
        Path absolute = directory.toAbsolutePath();
        DirectoryWatch watch =
                new DirectoryWatch(absolute, child, absolute.getFileSystem().newWatchService());
        watch.arm();
        return watch;
    }

    /**
     * Waits until something may have changed since the last call, or for {@code timeout}.
     *
     * @return the files that may have come or gone; empty if any may have: the directory is another one, events were lost,
     *     or nothing was heard for that long
     */
    public Optional<Set<Path>> await(Duration timeout) throws InterruptedException {
        if (arm()) {
            return Optional.empty();
        }
        WatchKey key = inotify.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
        boolean isKnown = key != null;
        Set<Path> files = new HashSet<>();
        while (key != null) {
            Path parent = (Path) key.watchable();
            for (WatchEvent<?> event : key.pollEvents()) {
                // what happens above concerns the directory itself
                isKnown &= event.context() != null && parent.startsWith(directory);
                files.add(parent.resolve(String.valueOf(event.context())));
            }
            isKnown &= key.reset();
            key = inotify.poll();
        }
        return isKnown ? Optional.of(files) : Optional.empty();
    }

    @Override
    public void close() throws IOException {
        inotify.close();
    }

    /**
     * Watches the directory that has the name now, and the nearest directory above it that is there. Asking again for
     * what is watched already changes nothing.
     *
     * @return whether the directory is another than last time, or there is none any more
     */
    private boolean arm() {
        Optional<Path> above = above();
        above.ifPresent(this::register);
        // the next one down may have been made before the one above it was watched
        while (!above.equals(above())) {
            above = above();
            above.ifPresent(this::register);
        }
        List<WatchKey> before = watched;
        watched = Stream.concat(Stream.of(directory), child.stream())
                .filter(Files::isDirectory)
                .flatMap(path -> register(path).stream())
                .toList();
        return !watched.equals(before);
    }

    private Optional<Path> above() {
        Path above = directory.getParent();
        while (above != null && !Files.isDirectory(above)) {
            above = above.getParent();
        }
        return Optional.ofNullable(above);
    }

    private Optional<WatchKey> register(Path path) {
        try {
            return Optional.of(path.register(inotify, ENTRY_CREATE, ENTRY_DELETE));
        } catch (IOException e) {
            if (Files.isDirectory(path) && !warned) {
                warned = true;
                LOG.warning(() -> path + ": cannot watch, changes are seen late: " + e.getMessage());
            }
            return Optional.empty();
        }
    }
}
