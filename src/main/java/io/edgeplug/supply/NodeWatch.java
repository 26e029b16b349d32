package io.edgeplug.supply;

import io.edgeplug.container.Allocation.Node;
import io.edgeplug.container.Equipment;
import io.edgeplug.device.PathDevice;
import io.edgeplug.linux.FileWatch;
import io.edgeplug.linux.NameGlob;
import io.edgeplug.linux.Sysfs;
import java.util.Collection;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

/**
 * Reports when device nodes of containers may have come or gone, by watching their directories; thread-safe. The
 * inventory itself watches the files of path devices.
 */
final class NodeWatch implements AutoCloseable {

    private static final NameGlob ANY = NameGlob.parse("*");

    private final Sysfs sysfs;
    private final FileWatch watch;
    private final Consumer<Set<String>> listener;
    private final Set<String> nodes = ConcurrentHashMap.newKeySet();
    private final Set<String> directories = ConcurrentHashMap.newKeySet();

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
        String directory = node.substring(0, node.lastIndexOf('/'));
        if (directories.add(directory)) {
            sysfs.on(Optional.of(watch.trail())).watch(directory, ANY);
        }
    }

    /** Reports all nodes that are watched. */
    void tellAll() {
        listener.accept(Set.copyOf(nodes));
    }

    private void tell(Set<String> changed) {
        Set<String> concerned = new HashSet<>(changed);
        concerned.retainAll(nodes);
        Set<String> replaced = new HashSet<>(directories);
        replaced.removeIf(directory -> !FileWatch.concerns(changed, directory));
        if (!replaced.isEmpty()) {
            // The next look at the nodes has the new directories watched.
            directories.removeAll(replaced);
            nodes.stream().filter(node -> FileWatch.concerns(replaced, node)).forEach(concerned::add);
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
