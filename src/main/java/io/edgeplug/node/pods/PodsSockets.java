package io.edgeplug.node.pods;

import io.edgeplug.system.files.DirectoryWatch;
import io.edgeplug.system.flow.Backoff;
import io.edgeplug.system.flow.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The paths at which a kubelet may serve its Pods API. One thread waits for a socket there, any thread closes. */
final class PodsSockets implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(PodsSockets.class.getName());

    /** The first path is in the kubelet's code, the second in its documentation. */
    private static final List<Path> PATHS = List.of(Path.of("pods-api/pods-api.sock"), Path.of("pods/kubelet.sock"));

    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    /** A kubelet listens on its socket a moment after it has made it. */
    private static final Duration LISTENS_WITHIN = Duration.ofMillis(100);

    /** How long a socket may go unnoticed that inotify cannot see, such as one in a new mount. */
    private static final Duration SLOW_LOOK = Duration.ofSeconds(60);

    private final List<Path> paths;

    private final Path root;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final Backoff retries = new Backoff(FIRST_PAUSE, LONGEST_PAUSE);
    private boolean warned;

    /** That of the last wait; guarded by this. */
    private @Nullable DirectoryWatch directories;

    /** The sockets below a kubelet's root directory, which may not exist. */
    PodsSockets(Path root) {
        this.root = root.toAbsolutePath();
        this.paths = PATHS.stream().map(this.root::resolve).toList();
    }

    List<Path> paths() {
        return paths;
    }

    /** Whether a socket exists, served or not. */
    boolean areThere() {
        return paths.stream().anyMatch(Files::exists);
    }

    /**
     * Waits for another socket, or until another attempt is worth its cost.
     *
     * @param wereThere whether a socket existed at the last attempt; attempts at a failing one become less and less
     *     frequent
     * @throws InterruptedException if this is closed
     */
    void awaitNext(boolean wereThere) throws InterruptedException {
        retries.failed();
        Duration soon = retries.due().map(Deadline::left).orElse(Duration.ZERO);
        // The watch is opened for each wait: its events would pile up while a kubelet is followed, and each pod causes
        // some.
        try (DirectoryWatch watch = watch()) {
            if (wereThere) {
                await(watch, soon, true);
            } else if (!areThere()) {
                await(watch, SLOW_LOOK, false);
            }
        } catch (IOException e) {
            if (!warned) {
                warned = true;
                LOG.warning(() -> e.getMessage() + "; the kubelet's Pods API is looked for every 10 s");
            }
            sleep(soon);
        }
    }

    private DirectoryWatch watch() throws IOException {
        DirectoryWatch watch = DirectoryWatch.open(
                root,
                PATHS.stream().map(path -> String.valueOf(path.getParent())).toArray(String[]::new));
        synchronized (this) {
            directories = watch;
        }
        if (closing.getCount() == 0) {
            watch.close();
        }
        return watch;
    }

    private void await(DirectoryWatch watch, Duration longest, boolean wereThere) throws InterruptedException {
        Deadline end = Deadline.in(longest);
        while (!end.isOver()) {
            Optional<Set<Path>> changed = watch.await(end.left());
            boolean isNamed = changed.stream().flatMap(Set::stream).anyMatch(paths::contains);
            if (isNamed || (changed.isEmpty() && !wereThere && areThere())) {
                retries.reset();
                sleep(LISTENS_WITHIN);
                return;
            }
        }
    }

    private void sleep(Duration time) throws InterruptedException {
        if (closing.await(time.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new InterruptedException("closed");
        }
    }

    @Override
    public void close() {
        closing.countDown();
        DirectoryWatch last;
        synchronized (this) {
            last = directories;
        }
        if (last != null) {
            last.close();
        }
    }
}
