package io.edgeplug.node.supply;

import io.edgeplug.model.device.PathDevice;
import io.edgeplug.node.container.Allocation.Node;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.system.files.FileWatch;
import io.edgeplug.system.files.NameGlob;
import io.edgeplug.system.files.Sysfs;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Reports when device nodes of containers may have come or gone, by watching their directories; thread-safe. The
 * inventory itself watches the files of path devices, but not what is in their directories.
 */
final class NodeWatch implements AutoCloseable {

    private static final NameGlob ANY = new NameGlob("*");

    private final Sysfs sysfs;
    private final FileWatch watch;
    private final Consumer<Set<String>> listener;
    private final Set<String> nodes = ConcurrentHashMap.newKeySet();
    private final Set<String> directories = ConcurrentHashMap.newKeySet();

    /** Those whose nodes are all handed over. */
    private final Set<String> whole = ConcurrentHashMap.newKeySet();

    /** The listener gets paths of nodes, on a thread that it must not block. */
    NodeWatch(Sysfs sysfs, Consumer<Set<String>> listener) {
        this.sysfs = sysfs;
        this.listener = listener;
        this.watch = new FileWatch("nodes", this::tell);
    }

    /** Watches the nodes that these devices bring from now on. */
    void follow(Collection<Equipment> equipment) {
        for (Equipment one : equipment) {
            if (!(one.device() instanceof PathDevice)) {
                one.nodesBeforehand().stream()
                        .map(Node::hostPath)
                        .filter(path -> path.startsWith(HostFiles.DEV))
                        .forEach(this::follow);
            }
        }
    }

    private void follow(String node) {
        nodes.add(node);
        watch(directory(node));
    }

    /** Watches a directory from now on, and reports it whenever a name in it comes or goes. */
    void followAllIn(String directory) {
        whole.add(directory);
        watch(directory);
    }

    private void watch(String directory) {
        if (directories.add(directory)) {
            sysfs.on(watch.trail()).watch(directory, ANY);
        }
    }

    private static String directory(String path) {
        return path.substring(0, Math.max(0, path.lastIndexOf('/')));
    }

    /** Reports all that is watched. */
    void tellAll() {
        Set<String> all = new HashSet<>(nodes);
        all.addAll(whole);
        listener.accept(all);
    }

    private void tell(Set<String> changed) {
        Set<String> concerned = new HashSet<>(changed);
        concerned.retainAll(nodes);
        changed.stream().map(NodeWatch::directory).filter(whole::contains).forEach(concerned::add);
        Set<String> replaced = new HashSet<>(directories);
        replaced.removeIf(directory -> !FileWatch.concerns(changed, directory));
        if (!replaced.isEmpty()) {
            // The next look at the nodes has the new directories watched.
            directories.removeAll(replaced);
            nodes.stream().filter(node -> FileWatch.concerns(replaced, node)).forEach(concerned::add);
            replaced.stream().filter(whole::contains).forEach(concerned::add);
        }
        if (!concerned.isEmpty()) {
            listener.accept(concerned);
        }
    }

    @Override
    public void close() {
        watch.close();
    }
}
