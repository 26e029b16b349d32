package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.Machine;
import io.edgeplug.lab.simulation.SimulatedNode;
import io.edgeplug.model.config.ConfigFiles;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.node.container.Equipment;
import io.edgeplug.node.inventory.Inventory;
import io.edgeplug.system.files.Sysfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What devices bring, followed from change to change. */
@Timeout(60)
final class EquipmentIndexTest {

    private static final String FUNCTIONS = "sys/bus/pci/devices";
    private static final int CHANGES = 300;
    private static final long SEED = Long.getLong("seed", System.nanoTime());

    @TempDir
    private Path directory = Path.of("");

    private final Random random = new Random(SEED);

    @Test
    void whateverComesGoesOrIsReboundItIsAsIfAllWereWorkedOutAnew() throws Exception {
        List<DeviceClass> classes =
                ConfigFiles.read(Machine.file("vfio-groups", "class.toml")).classes();
        try (SimulatedNode node =
                SimulatedNode.unpack(Files.readString(Machine.file("vfio-groups", "tree")), directory)) {
            List<Followed> followed = classes.stream()
                    .map(one -> new Followed(one, index(one), new HashMap<>()))
                    .toList();
            for (int i = 0; i < CHANGES; i++) {
                change();
                Inventory inventory = Inventory.scan(node.sysfs(), classes);
                followed.forEach(one -> one.assertFollows(inventory));
            }
        }
    }

    private static EquipmentIndex index(DeviceClass one) {
        return new EquipmentIndex(one, () -> new MountedNodes(Sysfs.at(Path.of("")), one, directory -> {}));
    }

    /** A class, what its devices bring, and the same put together from what has been told of changes. */
    private record Followed(DeviceClass deviceClass, EquipmentIndex index, Map<String, Equipment> told) {

        void assertFollows(Inventory inventory) {
            List<Equipment> anew = EquipmentIndexTest.index(deviceClass)
                    .update(inventory, Set.of())
                    .changed();
            EquipmentIndex.Change change = index.update(inventory, Set.of());
            // no more is told than has changed
            assertThat(change.changed()).as("-Dseed=%d", SEED).noneMatch(one -> one.equals(told.get(one.id())));
            assertThat(told.keySet()).as("-Dseed=%d", SEED).containsAll(change.gone());
            change.gone().forEach(told::remove);
            change.changed().forEach(brought -> told.put(brought.id(), brought));

            assertThat(index.all().values()).as("-Dseed=%d", SEED).containsExactlyInAnyOrderElementsOf(anew);
            assertThat(told.values()).as("-Dseed=%d", SEED).containsExactlyInAnyOrderElementsOf(anew);
            assertThat(index.update(inventory, Set.of()).isEmpty()).isTrue();
        }
    }

    /** Takes a function away or brings it back, or binds it to another driver. */
    private void change() throws IOException {
        Path present = directory.resolve(FUNCTIONS);
        Path absent = Files.createDirectories(directory.resolve(FUNCTIONS + ".absent"));
        List<Path> here = links(present);
        List<Path> away = links(absent);
        boolean isReturn = !away.isEmpty() && random.nextBoolean();
        Path one = isReturn ? any(away) : any(here);
        if (isReturn) {
            Files.move(one, present.resolve(one.getFileName()));
        } else if (random.nextBoolean() && here.size() > 1) {
            Files.move(one, absent.resolve(one.getFileName()));
        } else {
            Path driver = one.resolve("driver");
            String target = Files.readSymbolicLink(driver)
                    .resolveSibling(any(List.of("vfio-pci", "pci-stub", "mlx5_core")))
                    .toString();
            Files.delete(driver);
            Files.createSymbolicLink(driver, Path.of(target));
        }
    }

    private static List<Path> links(Path where) throws IOException {
        try (var found = Files.list(where)) {
            return found.sorted().toList();
        }
    }

    private <T> T any(List<T> some) {
        return some.get(random.nextInt(some.size()));
    }
}
