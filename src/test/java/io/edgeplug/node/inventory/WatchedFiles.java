package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.PathGroup;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.system.files.Sysfs;
import io.edgeplug.system.udev.UeventSource;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/** A monitor of files below a directory that stands for a node's root, and of nothing else. */
final class WatchedFiles implements AutoCloseable {

    /** Far less than the minute after which all files are looked at anyway. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final ResourceName FILES = ResourceName.parse("example.com/files");

    private final Monitor monitor;

    private WatchedFiles(Monitor monitor) {
        this.monitor = monitor;
    }

    static WatchedFiles open(Sysfs sysfs, Duration settle, String... patterns) throws IOException {
        return open(sysfs, settle, ofPaths(patterns));
    }

    static WatchedFiles open(Sysfs sysfs, Duration settle, DeviceClass... classes) throws IOException {
        return new WatchedFiles(Monitor.open(sysfs, List.of(classes), UeventSource.silent(), settle));
    }

    static DeviceClass ofPaths(String... patterns) {
        return DeviceClass.of(FILES, Kind.PATH, new Selector(Map.of(SelectorWord.PATHS, List.of(patterns))));
    }

    static DeviceClass ofGroup(String... paths) {
        DeviceClass none = DeviceClass.of(FILES, Kind.PATH);
        return new DeviceClass(
                none.resource(),
                none.kind(),
                none.selectors(),
                List.of(new PathGroup(List.of(paths), Set.of())),
                none.container(),
                none.placement(),
                none.sharing(),
                none.needsVhostNet(),
                none.health(),
                none.recipe(),
                none.release(),
                none.isFace(),
                none.trustOwner(),
                none.api(),
                none.claims(),
                none.identity());
    }

    Monitor monitor() {
        return monitor;
    }

    /** The files as they are listed now. */
    List<Device> devices() {
        return monitor.current().devices(FILES);
    }

    PathDevice device(String id) {
        return (PathDevice) monitor.current().device(FILES, id).orElseThrow();
    }

    static long inode(PathDevice device) {
        return device.files().getFirst().found().orElseThrow().inode();
    }

    boolean areHealthy() {
        return devices().stream().allMatch(device -> device.health().isHealthy());
    }

    Optional<String> problem(String id) {
        return device(id).health().problem();
    }

    /** Waits until exactly these files are listed, whatever their health. */
    void await(String... ids) throws InterruptedException {
        await("files " + List.of(ids), now -> ids(now).equals(List.of(ids)));
    }

    /** Waits until a file has that problem. */
    void awaitProblem(String id, String problem) throws InterruptedException {
        await(
                id + " with: " + problem,
                now -> now.device(FILES, id)
                        .map(Device::health)
                        .filter(health -> health.problem().equals(Optional.of(problem)))
                        .isPresent());
    }

    void awaitHealthy(String id) throws InterruptedException {
        await(
                "healthy " + id,
                now -> now.device(FILES, id)
                        .map(Device::health)
                        .filter(health -> health.isHealthy())
                        .isPresent());
    }

    void await(String what, Predicate<Inventory> wanted) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        Inventory now = monitor.current();
        while (!wanted.test(now)) {
            Duration left = Duration.ofNanos(end - System.nanoTime());
            assertThat(left)
                    .as("%s, but there is: %s", what, now.devices(FILES))
                    .isPositive();
            now = monitor.inventories().awaitNewerThan(now.generation(), left);
        }
    }

    static List<String> ids(Inventory inventory) {
        return inventory.devices(FILES).stream().map(Device::id).toList();
    }

    /** What a scan of everything finds of these classes. */
    static List<String> scanned(Path root, DeviceClass... classes) throws IOException {
        return ids(Inventory.scan(Sysfs.at(root), List.of(classes)));
    }

    @Override
    public void close() {
        monitor.close();
    }
}
