package io.edgeplug.kubelet;

import io.edgeplug.linux.DirectoryWatch;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Logger;

/**
 * The directory in which plugins have their sockets, watched for what makes them register anew.
 *
 * <p>In device-plugins, a starting kubelet deletes every socket and makes {@code kubelet.sock} anew
 * (pkg/kubelet/cm/devicemanager/plugin/v1beta1/server.go), so another {@code kubelet.sock} is another kubelet. In
 * plugins_registry it finds the sockets that are there, so only another directory matters.
 */
final class PluginDirectory implements AutoCloseable {

    /** The safety net, should inotify be unable to tell. */
    static final Duration POLL = Duration.ofSeconds(30);

    private static final Logger LOG = Logger.getLogger(PluginDirectory.class.getName());

    private final Path path;
    private final boolean isRegistry;
    private final DirectoryWatch watch;
    private final Thread watcher;

    private final Lock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Guarded by the lock. */
    private View view = new View(0, Optional.empty());

    private PluginDirectory(Path path, boolean isRegistry, DirectoryWatch watch) {
        this.path = path;
        this.isRegistry = isRegistry;
        this.watch = watch;
        this.watcher = Thread.ofPlatform().name("kubelet-dir").daemon().unstarted(this::follow);
    }

    /**
     * The directory at one time.
     *
     * @param generation higher for each change that may concern a plugin
     * @param kubelet tells one kubelet's socket from the next one's; empty while there is none
     */
    record View(long generation, Optional<KubeletSocket> kubelet) {}

    /** Inode and time of its making: an inode's number alone is soon used again. */
    record KubeletSocket(Object inode, FileTime made) {}

    /** Watches {@code device-plugins}, where the kubelet is registered with. */
    static PluginDirectory devicePlugins(Path path) throws IOException {
        return open(path, false);
    }

    /** Watches {@code plugins_registry}, where the kubelet finds sockets. */
    static PluginDirectory pluginsRegistry(Path path) throws IOException {
        return open(path, true);
    }

    private static PluginDirectory open(Path path, boolean isRegistry) throws IOException {
        PluginDirectory directory = new PluginDirectory(path, isRegistry, DirectoryWatch.open(path));
        directory.look(true);
        directory.watcher.start();
        return directory;
    }

    Path path() {
        return path;
    }

    Path kubeletSocket() {
        return path.resolve("kubelet.sock");
    }

    /** The directory as it is now, also where the watcher has not come to an event yet. */
    View view() {
        return look(false);
    }

    /** Waits for a view of a higher generation, for at most {@code timeout}. */
    void awaitNewerThan(long generation, Duration timeout) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = timeout.toNanos();
            while (view.generation() <= generation && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Makes everyone who waits look at what they wait for again. */
    void wake() {
        lock.lock();
        try {
            publish(view.kubelet());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() throws IOException {
        watcher.interrupt();
        try {
            watcher.join(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        watch.close();
    }

    private void follow() {
        try {
            while (true) {
                watch.await(POLL);
                look(true);
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer watching for the kubelet");
        }
    }

    /**
     * Looks, without the lock, until nobody else has published meanwhile: so what is published last was seen last.
     *
     * @param isHint whether something else in the directory may have changed too, so that all must look again
     */
    private View look(boolean isHint) {
        while (true) {
            long before = generation();
            Optional<KubeletSocket> kubelet = identify();
            lock.lock();
            try {
                if (view.generation() == before) {
                    if (isHint || !view.kubelet().equals(kubelet)) {
                        publish(kubelet);
                    }
                    return view;
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private long generation() {
        lock.lock();
        try {
            return view.generation();
        } finally {
            lock.unlock();
        }
    }

    /** With the lock held. */
    private void publish(Optional<KubeletSocket> kubelet) {
        view = new View(view.generation() + 1, kubelet);
        changed.signalAll();
    }

    private Optional<KubeletSocket> identify() {
        try {
            BasicFileAttributes stat = Files.readAttributes(
                    isRegistry ? path : kubeletSocket(), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            // a directory's time changes with every file in it; if another has its inode, our sockets are gone anyway
            FileTime made = isRegistry ? FileTime.fromMillis(0) : stat.lastModifiedTime();
            return Optional.of(new KubeletSocket(Objects.requireNonNull(stat.fileKey()), made));
        } catch (IOException e) {
            return Optional.empty();
        }
    }
}
