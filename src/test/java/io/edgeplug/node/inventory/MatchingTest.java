package io.edgeplug.node.inventory;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.Kind;
import io.edgeplug.model.device.PathDevice;
import io.edgeplug.model.device.ResourceName;
import io.edgeplug.model.rules.DeviceClass;
import io.edgeplug.model.rules.Selector;
import io.edgeplug.model.rules.SelectorWord;
import io.edgeplug.node.inventory.Inventory.Item;
import io.edgeplug.system.files.Destination;
import io.edgeplug.system.files.FileKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which class takes a device, and which device has an ID, while devices come and go. */
final class MatchingTest {

    private static final List<DeviceClass> CLASSES = List.of(DeviceClass.of(
            ResourceName.parse("example.com/tty"),
            Kind.PATH,
            new Selector(Map.of(SelectorWord.PATHS, List.of("/dev/*/*")))));

    @Test
    void ofNamesakesTheFirstIsTakenAndTheNextOnceThatIsGone() {
        Device first = path("/dev/a/0");
        Device second = path("/dev/b/0");
        Matching matching = new Matching();

        assertThat(matching.match(CLASSES, List.of(first, second)))
                .satisfiesExactly(
                        item -> assertThat(item.resource()).isPresent(),
                        item -> assertThat(item.device().health().problem()).contains("another device has the ID 0"));
        assertThat(matching.match(CLASSES, List.of(second)))
                .singleElement()
                .satisfies(item -> assertThat(item.resource()).isPresent());
    }

    @Test
    void namesakeThatComesBeforeOneThatWasThereIsTaken() {
        Device first = path("/dev/a/0");
        Device second = path("/dev/b/0");
        Matching matching = new Matching();

        assertThat(matching.match(CLASSES, List.of(second))).hasSize(1);
        assertThat(matching.match(CLASSES, List.of(first, second)))
                .extracting(item -> item.resource().isPresent())
                .containsExactly(true, false);
    }

    @Test
    void deviceThatIsAsItWasKeepsItsItemUntilTheClassesChange() {
        Matching matching = new Matching();
        Item before = matching.match(CLASSES, List.of(path("/dev/a/0"), path("/dev/a/1")))
                .getFirst();

        assertThat(matching.match(CLASSES, List.of(path("/dev/a/0"), path("/dev/a/2")))
                        .getFirst())
                .isSameAs(before);
        assertThat(matching.match(List.of(), List.of(path("/dev/a/0"))))
                .singleElement()
                .satisfies(item -> assertThat(item.resource()).isEmpty());
    }

    @Test
    void whateverComesAndGoesItIsAsIfAllWereMatchedAnew() {
        Random random = new Random(7);
        List<Device> all = IntStream.range(0, 60)
                .mapToObj(i -> path("/dev/" + (char) ('a' + i / 20) + "/" + i % 20))
                .toList();
        Matching matching = new Matching();
        List<Device> now = new ArrayList<>();
        for (int round = 0; round < 3_000; round++) {
            int chance = random.nextInt(1, 20);
            now = new ArrayList<>(now);
            for (Device device : all) {
                if (random.nextInt(20 * chance) == 0 && !now.remove(device)) {
                    now.add(device);
                }
            }
            now.sort(Comparator.comparing(device -> ((PathDevice) device).path()));

            assertThat(matching.match(CLASSES, now)).isEqualTo(new Matching().match(CLASSES, now));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0000:3b:01.0", "0000:3B:01.0", "0000:3b:01.0-region0", "10000:3b:01.0"})
    void fileThatIsNamedLikeAFunctionIsNoDeviceForItWouldCountAsThatFunction(String name) {
        assertThat(new Matching().match(CLASSES, List.of(path("/dev/a/" + name))))
                .singleElement()
                .satisfies(item -> {
                    assertThat(item.resource()).isEmpty();
                    assertThat(item.device().health().problem())
                            .contains("its name is that of a PCI function, which it is not");
                });
    }

    @Test
    void fileWhoseNameAProgramWouldTakeForAnOptionIsNoDevice() {
        assertThat(new Matching().match(CLASSES, List.of(path("/dev/a/-rf"))))
                .singleElement()
                .satisfies(item -> {
                    assertThat(item.resource()).isEmpty();
                    assertThat(item.device().health().problem())
                            .contains("its name begins with -, and a program would take it for an option");
                });
    }

    private static Device path(String path) {
        return new PathDevice(
                path.substring(path.lastIndexOf('/') + 1),
                List.of(new PathDevice.File(
                        path, Optional.of(new Destination(path, FileKind.CHARACTER_DEVICE, 0, 0, "", List.of())))),
                Optional.empty(),
                Health.HEALTHY);
    }
}
