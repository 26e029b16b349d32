package io.edgeplug.lab.localkubelet;

import io.edgeplug.system.files.DirectoryWatch;
import io.edgeplug.system.flow.Threads;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The sockets in {@code plugins_registry}, of plugins that wait to be found. It follows pluginmanager's watcher and
 * reconciler.
 *
 * <p>A thread of its own looks at the directory after each change and every second. Each socket is tried until its
 * plugin is registered or has failed, and then not again until another socket has the name. No socket is deleted, so
 * the next kubelet finds all of them again.
 */
final class PluginsRegistry implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger(PluginsRegistry.class.getName());
    /** loopSleepDuration of the plugin manager's reconciler. */
    private static final Duration RECONCILE = Duration.ofSeconds(1);

    private static final Duration CLOSE = Duration.ofSeconds(5);

    private final Path directory;
    private final DirectoryWatch watch;
    private final Ledger ledger;
    private final Clients clients;
    private final Map<Path, FoundPlugin> found = new HashMap<>();
    private final Thread thread;

    /** Makes the directory if it is missing, and looks for plugins from now on. */
    PluginsRegistry(Path directory, Ledger ledger, Clients clients) throws IOException {
        Files.createDirectories(directory);
        this.directory = directory;
        this.watch = DirectoryWatch.open(directory);
        this.ledger = ledger;
        this.clients = clients;
        this.thread = Thread.ofPlatform().name("plugins-registry").daemon().start(this::reconcileForEver);
    }

    /** Distinguishes a socket from another one with the same name, even if the inode is reused. */
    private static String identity(Path socket) throws IOException {
        BasicFileAttributes attributes = Files.readAttributes(socket, BasicFileAttributes.class);
        return attributes.fileKey() + " of " + attributes.lastModifiedTime();
    }

    private void reconcileForEver() {
        try {
            while (true) {
                try {
                    reconcile(sockets());
                } catch (IOException e) {
                    LOG.log(Level.WARNING, e, () -> directory + ": cannot look for plugins");
                }
                watch.await(RECONCILE);
            }
        } catch (InterruptedException | RejectedExecutionException e) {
            LOG.log(Level.FINE, e, () -> directory + ": looked at no more");
        }
    }

    /** Each socket with its identity; none if the directory is gone. */
    private Map<Path, String> sockets() throws IOException {
        Map<Path, String> sockets = new HashMap<>();
        if (!Files.isDirectory(directory)) {
            return sockets;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(
                directory, file -> !file.getFileName().toString().startsWith("."))) {
            for (Path file : files) {
                try {
                    if (RegistrationServer.isSocket(file)) {
                        sockets.put(file, identity(file));
                    }
                } catch (NoSuchFileException e) {
                    LOG.log(Level.FINE, e, () -> file + ": gone while it was looked at");
                }
            }
        }
        return sockets;
    }

    private void reconcile(Map<Path, String> sockets) {
        found.entrySet().removeIf(known -> {
            boolean gone = !known.getValue().identity().equals(sockets.get(known.getKey()));
            if (gone) {
                known.getValue().remove();
            }
            return gone;
        });
        sockets.forEach((socket, identity) -> {
            FoundPlugin plugin =
                    found.computeIfAbsent(socket, path -> new FoundPlugin(path, identity, ledger, clients));
            if (plugin.isDue()) {
                clients.execute(plugin::register);
            }
        });
    }

    /** Stops looking. The plugins that it has found belong to {@link Clients}, which are closed after this. */
    @Override
    public void close() {
        watch.close();
        Threads.end(thread, CLOSE);
    }
}
