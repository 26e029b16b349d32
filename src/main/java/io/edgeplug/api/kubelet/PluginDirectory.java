package io.edgeplug.api.kubelet;

import io.edgeplug.node.pods.KubeletSocket;
import io.edgeplug.system.files.DirectoryWatch;
import io.edgeplug.system.flow.Latest;
import io.edgeplug.system.flow.Threads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Logger;

/**
 * The directory of the plugins' sockets, watched for changes after which they must register again.
 *
 * <p>In device-plugins, a starting kubelet deletes every socket and makes {@code kubelet.sock} again
 * (pkg/kubelet/cm/devicemanager/plugin/v1beta1/server.go). So another {@code kubelet.sock} means another kubelet. In
 * plugins_registry the kubelet finds existing sockets, so only another directory matters.
 */
final class PluginDirectory implements AutoCloseable {

    /** A safety net if inotify misses a change. Each look wakes everything that follows the kubelet's notes. */
    static final Duration POLL = Duration.ofSeconds(60);

    /** The longest pause between failing attempts, such as those to register. */
    static final Duration LONGEST_RETRY = Duration.ofSeconds(30);

    static final String KUBELET_SOCKET = "kubelet.sock";

    /** The directory of edgeplug's sockets, in that of the kubelet's. */
    static final String OWN = "edgeplug";

    private static final Logger LOG = Logger.getLogger(PluginDirectory.class.getName());

    private final Path path;
    private final boolean isRegistry;
    private final DirectoryWatch watch;
    private final Thread watcher;

    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

    private final Latest<View> views = new Latest<>(new View(0, Optional.empty()), View::generation);
    private final Latest<Long> notes = new Latest<>(0L, Long::longValue);

    private PluginDirectory(Path path, boolean isRegistry, DirectoryWatch watch) {
        this.path = path;
        this.isRegistry = isRegistry;
        this.watch = watch;
        this.watcher = Thread.ofPlatform().name("kubelet-dir").daemon().unstarted(this::follow);
    }

    /**
     * The directory at one time.
     *
     * @param generation grows with each change that may concern a plugin
     * @param kubelet identifies the socket of one kubelet; empty while there is none
     */
    record View(long generation, Optional<KubeletSocket> kubelet) {}

    /**
     * Watches a directory.
     *
     * @param isRegistry whether it is {@code plugins_registry}, where the kubelet finds sockets, and not
     *     {@code device-plugins}, where plugins register with it
     */
    static PluginDirectory open(Path given, boolean isRegistry) throws IOException {
        Path path = given.toAbsolutePath();
        PluginDirectory directory = new PluginDirectory(
                path, isRegistry, isRegistry ? DirectoryWatch.open(path) : DirectoryWatch.open(path, OWN));
        directory.look(true);
        directory.watcher.start();
        return directory;
    }

    Path path() {
        return path;
    }

    /** Whether the kubelet finds sockets here by itself. */
    boolean isRegistry() {
        return isRegistry;
    }

    /**
     * The directory for the plugins' sockets. It is a directory of edgeplug in the kubelet's, because a starting
     * kubelet deletes all sockets in its own directory and leaves directories alone (CleanupPluginDirectory in
     * devicemanager/manager.go). So the sockets outlive its restart, after which every millisecond counts. In
     * plugins_registry, the kubelet deletes no sockets, and looks for them in the directory itself.
     */
    Path sockets() {
        return isRegistry ? path : path.resolve(OWN);
    }

    Path kubeletSocket() {
        return path.resolve(KUBELET_SOCKET);
    }

    /** The directory now, even if the watcher has not read an event yet. */
    View view() {
        return look(false);
    }

    /** The directory at the last look, for threads that wait for a newer one. */
    Latest<View> views() {
        return views;
    }

    /** Counts possible changes of files other than plugins' sockets, among them the kubelet's notes. */
    Latest<Long> notes() {
        return notes;
    }

    /** Reports that the kubelet may have news of its pods. */
    void noted() {
        Long ignored = notes.change(count -> count + 1);
    }

    /** Runs the listener whenever a kubelet or a plugin's socket may have come or gone. It must return at once. */
    void addListener(Runnable listener) {
        listeners.add(listener);
    }

    void removeListener(Runnable listener) {
        listeners.remove(listener);
    }

    /** Reports progress of the connection or a registration, which concerns only threads that wait for a newer view. */
    void progressed() {
        View ignored = views.change(view -> new View(view.generation() + 1, view.kubelet()));
    }

    @Override
    public void close() {
        watch.close();
        Threads.end(watcher);
    }

    private void follow() {
        try {
            while (true) {
                Optional<Set<Path>> files = watch.await(POLL);
                if (files.map(some -> some.stream().anyMatch(file -> !isSocket(file)))
                        .orElse(true)) {
                    noted();
                }
                look(files.map(some -> some.stream().anyMatch(this::hasGone)).orElse(true));
            }
        } catch (InterruptedException e) {
            LOG.fine("no longer watching for the kubelet");
        }
    }

    /** Whether it is the socket of a plugin and has gone. A new socket concerns only its plugin. */
    private boolean hasGone(Path file) {
        return isSocket(file)
                && file.startsWith(sockets())
                && !Files.exists(path.resolve(file), LinkOption.NOFOLLOW_LINKS);
    }

    private static boolean isSocket(Path file) {
        return file.toString().endsWith(SocketNames.SUFFIX);
    }

    /**
     * Looks until nobody else has published meanwhile, so that the last publication is the last look.
     *
     * @param isHint whether a plugin's socket may have gone too, which is news in any case
     */
    private View look(boolean isHint) {
        while (true) {
            View before = views.get();
            Optional<KubeletSocket> kubelet = identify();
            if (!isHint && before.kubelet().equals(kubelet)) {
                return before;
            }
            View now = new View(before.generation() + 1, kubelet);
            if (views.replace(before, now)) {
                listeners.forEach(Runnable::run);
                return now;
            }
        }
    }

    /**
     * A directory's time changes with each file in it. If another directory has its inode, the sockets are gone anyway.
     */
    private Optional<KubeletSocket> identify() {
        return isRegistry
                ? KubeletSocket.find(path).map(found -> new KubeletSocket(found.inode(), FileTime.fromMillis(0)))
                : KubeletSocket.find(kubeletSocket());
    }
}
