package io.edgeplug.linux;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;

/**
 * Tells when files may have come or gone in a directory, which itself may be missing or replaced; inotify(7).
 *
 * <p>It does not say what changed: events are hints, and the directory is the truth. One thread at a time.
 */
public final class DirectoryWatch implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(DirectoryWatch.class.getName());

    private final Path directory;
    private final WatchService inotify;
    private Optional<WatchKey> watched = Optional.empty();
    private boolean warned;

    private DirectoryWatch(Path directory, WatchService inotify) {
        this.directory = directory;
        this.inotify = inotify;
    }

    /** Starts to watch; what happens from here on is not missed. */
    public static DirectoryWatch open(Path directory) throws IOException {
        Path absolute = directory.toAbsolutePath();
        DirectoryWatch watch =
                new DirectoryWatch(absolute, absolute.getFileSystem().newWatchService());
        watch.arm();
        return watch;
    }

    /** Waits until something may have changed since the last call, or for {@code timeout}. */
    public void await(Duration timeout) throws InterruptedException {
        if (arm()) {
            return;
        }
        WatchKey key = inotify.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
        while (key != null) {
            key.pollEvents();
            key.reset();
            key = inotify.poll();
        }
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
        Optional<WatchKey> before = watched;
        watched = Files.isDirectory(directory) ? register(directory) : Optional.empty();
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
