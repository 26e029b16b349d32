package io.edgeplug.pods;

import io.edgeplug.linux.DirectoryWatch;
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

/** The paths at which a kubelet may serve its Pods API. One thread waits for a socket there, any thread closes. */
final class PodsSockets implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(PodsSockets.class.getName());

    /** The first is what the kubelet's code says, the second what its documents say. */
    private static final List<Path> PATHS = List.of(Path.of("pods-api/pods-api.sock"), Path.of("pods/kubelet.sock"));

    private static final Duration FIRST_PAUSE = Duration.ofMillis(250);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    /** A kubelet listens on its socket a moment after it has made it. */
    private static final Duration LISTENS_WITHIN = Duration.ofMillis(100);

    /** How long a socket may go unnoticed that comes where inotify cannot see it, as by a mount. */
    private static final Duration SLOW_LOOK = Duration.ofSeconds(60);

    private final List<Path> paths;

    private final Path root;
    private final CountDownLatch closing = new CountDownLatch(1);
    private Duration pause = FIRST_PAUSE;
    private boolean warned;

    /** While somebody waits; guarded by this. */
    private Optional<DirectoryWatch> directories = Optional.empty();

    /** Those below a kubelet's root directory, which may be missing. */
    PodsSockets(Path root) {
        this.root = root.toAbsolutePath();
        this.paths = PATHS.stream().map(this.root::resolve).toList();
    }

    List<Path> paths() {
        return paths;
    }

    /** Whether there is any, served or not. */
    boolean areThere() {
        return paths.stream().anyMatch(Files::exists);
    }

    /** One of them has answered as a kubelet does, so the next attempt may follow the end of this one soon. */
    void works() {
        pause = FIRST_PAUSE;
    }

    /**
     * Waits until another socket comes, or long enough that an attempt is worth its cost.
     *
     * @param wereThere whether there was one when it was tried last; the attempts at one that fails are ever further apart
     * @throws InterruptedException if this is closed
     */
    void awaitNext(boolean wereThere) throws InterruptedException {
        Duration soon = pause;
        Duration twice = pause.multipliedBy(2);
        pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
        // Opened for each wait: nobody reads its events while a kubelet is followed, of which each pod makes some.
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
            directories = Optional.of(watch);
        }
        if (closing.getCount() == 0) {
            watch.close();
        }
        return watch;
    }

    private void await(DirectoryWatch watch, Duration longest, boolean wereThere) throws InterruptedException {
        long end = System.nanoTime() + longest.toNanos();
        for (long left = longest.toNanos(); left > 0; left = end - System.nanoTime()) {
            Optional<Set<Path>> changed = watch.await(Duration.ofNanos(left));
            boolean isNamed = changed.stream().flatMap(Set::stream).anyMatch(paths::contains);
            if (isNamed || (changed.isEmpty() && !wereThere && areThere())) {
                pause = FIRST_PAUSE;
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
        Optional<DirectoryWatch> last;
        synchronized (this) {
            last = directories;
        }
        last.ifPresent(DirectoryWatch::close);
    }
}
