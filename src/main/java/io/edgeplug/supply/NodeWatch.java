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
 * Tells when device nodes may have come or gone that containers get, by the directories they are in; thread-safe. The
 * files of path devices are the inventory's, which watches them itself.
 */
final class NodeWatch implements AutoCloseable {

    private static final NameGlob ANY = NameGlob.parse("*");

    private final Sysfs sysfs;
    private final FileWatch watch;
    private final Consumer<Set<String>> listener;
    private final Set<String> nodes = ConcurrentHashMap.newKeySet();
    private final Set<String> directories = ConcurrentHashMap.newKeySet();

    /** The listener is told paths of nodes, on a thread that must go on at once. */
    NodeWatch(Sysfs sysfs, Consumer<Set<String>> listener) {
        this.sysfs = sysfs;
        this.listener = listener;
        this.watch = new FileWatch("nodes", this::tell);
    }

    /** Tells of the nodes that these bring, from here on. */
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

    /** Tells of all nodes that are followed. */
    void tellAll() {
        listener.accept(Set.copyOf(nodes));
    }

    private void tell(Set<String> changed) {
        Set<String> concerned = new HashSet<>(changed);
        concerned.retainAll(nodes);
        Set<String> replaced = new HashSet<>(directories);
        replaced.removeIf(directory -> !FileWatch.concerns(changed, directory));
        if (!replaced.isEmpty()) {
            // whoever looks at the nodes next has the new ones watched
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
