package io.edgeplug.system.files;

import io.edgeplug.system.kernel.KernelCalls;
import io.edgeplug.system.kernel.Poll;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Reports when files may have come or gone in a directory, which itself may be missing or replaced; inotify(7).
 *
 * <p>It names files and not what happened to them: an event is a hint, and the directory has the truth. One thread
 * waits, which must be a platform thread, and any thread closes.
 *
 * <p>The JDK's watch service is not used, because it has a thread of its own. That thread would wake for each directory
 * whenever the watches are renewed, and would leave a monitor behind each time: 20 MB after 10,000 pods.
 */
public final class DirectoryWatch implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(DirectoryWatch.class.getName());

    private static final int INOTIFY = 0;

    /** Whoever changes files faster than they are read must not keep the thread for ever. */
    private static final int MAX_EVENTS = 1024;

    private final Path directory;
    private final List<Path> children;
    private final Inotify inotify;
    private final Poll poll;

    /** The watched directories, by the number of their watch. */
    private Map<Integer, Path> watched = Map.of();

    private boolean warned;
    private final AtomicBoolean closed = new AtomicBoolean();

    private DirectoryWatch(Path directory, List<Path> children) throws IOException {
        this.directory = directory;
        this.children = children;
        this.inotify = Inotify.open();
        this.poll = Poll.open(1);
        poll.watch(INOTIFY, inotify.descriptor(), KernelCalls.POLLIN);
    }

    /**
     * Starts to watch a directory and some directories in it. All of them may be missing or replaced. From now on
     * nothing is missed.
     */
    public static DirectoryWatch open(Path directory, String... children) throws IOException {
        Path absolute = directory.toAbsolutePath();
        try {
            DirectoryWatch watch = new DirectoryWatch(
                    absolute, Stream.of(children).map(absolute::resolve).toList());
            watch.arm();
            return watch;
        } catch (IOException e) {
            throw new IOException(
                    absolute + ": cannot be watched, see fs.inotify.max_user_instances: " + e.getMessage(), e);
        }
    }

    /**
     * Waits until something may have changed since the last call, or for {@code timeout}.
     *
     * @return the files that may have come or gone; empty if any may have: a directory was replaced, events were lost,
     *     there were too many of them, or there was none for that long
     * @throws InterruptedException if this is closed, even while it waits; an interrupt alone does not end the wait
     */
    public synchronized Optional<Set<Path>> await(Duration timeout) throws InterruptedException {
        if (!closed.get() && arm()) {
            return Optional.empty();
        }
        if (!closed.get()) {
            // The timeout is rounded up. Otherwise a caller with less than a millisecond left would call again and
            // again.
            poll.await(Math.clamp(timeout.toMillis() + 1, 0, Integer.MAX_VALUE));
        }
        if (closed.get()) {
            throw new InterruptedException(directory + ": no longer watched");
        }
        return read();
    }

    /** The files of the events so far. If there are too many, the next wait ends at once, and reads the rest. */
    private Optional<Set<Path>> read() {
        Set<Path> files = new HashSet<>();
        boolean isKnown = true;
        int count = 0;
        for (List<Inotify.Event> some = inotify.read(); !some.isEmpty(); some = inotify.read()) {
            for (Inotify.Event event : some) {
                isKnown &= note(event, files);
            }
            count += some.size();
            if (count > MAX_EVENTS) {
                return Optional.empty();
            }
        }
        return isKnown && !files.isEmpty() ? Optional.of(files) : Optional.empty();
    }

    /** Adds the file of an event. Returns whether the event concerns that file alone. */
    private boolean note(Inotify.Event event, Set<Path> files) {
        Path parent = watched.get(event.watch());
        if (parent == null) {
            // The event belongs to an earlier watch, or events were lost.
            return event.watch() >= 0;
        }
        files.add(parent.resolve(event.name()));
        // An event of a directory above, or of the directory itself, concerns everything in it.
        return !event.name().isEmpty() && parent.startsWith(directory);
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            poll.wake();
            closeDescriptors();
        }
    }

    /** Runs only once nobody waits for them. */
    private synchronized void closeDescriptors() {
        poll.close();
        inotify.close();
    }

    /**
     * Watches the directories that have these names now, and the nearest existing one above. Watching a directory again
     * changes nothing.
     *
     * @return whether one of the directories differs from last time, or there is none any more
     */
    private boolean arm() {
        Map<Integer, Path> now = new HashMap<>();
        Optional<Path> above = above();
        above.ifPresent(path -> register(path, now));
        // The next directory down may have been made before the one above it was watched.
        while (!above.equals(above())) {
            above = above();
            above.ifPresent(path -> register(path, now));
        }
        List<OptionalInt> before = numbers();
        Stream.concat(Stream.of(directory), children.stream())
                .filter(Files::isDirectory)
                .forEach(path -> register(path, now));
        watched.keySet().stream().filter(number -> !now.containsKey(number)).forEach(inotify::remove);
        watched = now;
        return !numbers().equals(before);
    }

    /** The inodes of the directory and those in it, which distinguish it from a later directory with the same name. */
    private List<OptionalInt> numbers() {
        List<OptionalInt> numbers = new ArrayList<>();
        for (Path path : Stream.concat(Stream.of(directory), children.stream()).toList()) {
            numbers.add(watched.entrySet().stream()
                    .filter(entry -> entry.getValue().equals(path))
                    .mapToInt(Map.Entry::getKey)
                    .findFirst());
        }
        return numbers;
    }

    private Optional<Path> above() {
        Path above = directory.getParent();
        while (above != null && !Files.isDirectory(above)) {
            above = above.getParent();
        }
        return Optional.ofNullable(above);
    }

    private void register(Path path, Map<Integer, Path> to) {
        int number = inotify.add(path.toString(), Inotify.NAMES);
        if (number >= 0) {
            to.put(number, path);
        } else if (Files.isDirectory(path) && !warned) {
            warned = true;
            LOG.warning(() -> path + ": cannot watch, changes are seen late: " + KernelCalls.strerror(-number));
        }
    }
}
