package io.edgeplug.node.supply;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.model.device.Device;
import io.edgeplug.model.device.FunctionBuilder;
import io.edgeplug.model.device.Health;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.model.device.VirtualFunction;
import io.edgeplug.model.rules.Preference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class AffinityTest {

    @Test
    void oneNodeIsEnoughWhereOneNodeHasEnough() {
        List<Device> devices = join(vfs(0, 0x10, 0, 2), vfs(1, 0x80, 0, 4));

        assertThat(nodes(Affinity.choose(devices, List.of(), 3, Preference.PACK)))
                .containsExactly(1);
        assertThat(nodes(Affinity.choose(devices, List.of(), 2, Preference.PACK)))
                .containsExactly(0);
    }

    @Test
    void smallestRootPortThatHasEnoughIsTakenAndItsSmallestPf() {
        List<Device> devices = join(vfs(0, 0x10, 0, 4), vfs(0, 0x10, 1, 2), vfs(0, 0x20, 0, 8));

        assertThat(pfs(Affinity.choose(devices, List.of(), 2, Preference.PACK))).containsExactly("0000:10:00.1");
    }

    @Test
    void rootPortIsKeptWhereNoPfHasEnough() {
        List<Device> devices = join(vfs(0, 0x10, 0, 3), vfs(0, 0x20, 0, 2), vfs(0, 0x10, 1, 3));

        assertThat(pfs(Affinity.choose(devices, List.of(), 5, Preference.PACK)))
                .containsExactlyInAnyOrder("0000:10:00.0", "0000:10:00.1");
    }

    @Test
    void spreadTakesOneOfEachPfInTurn() {
        List<Device> devices = join(vfs(0, 0x10, 0, 4), vfs(0, 0x20, 0, 4), vfs(0, 0x30, 0, 4));

        assertThat(pfs(Affinity.choose(devices, List.of(), 3, Preference.SPREAD)))
                .hasSize(3);
    }

    @Test
    void spreadStaysOnOneNodeToo() {
        List<Device> devices = join(vfs(0, 0x10, 0, 4), vfs(0, 0x20, 0, 4), vfs(1, 0x80, 0, 4));

        List<Device> chosen = Affinity.choose(devices, List.of(), 4, Preference.SPREAD);

        assertThat(nodes(chosen)).containsExactly(0);
        assertThat(pfs(chosen)).hasSize(2);
    }

    @Test
    void deviceThatMustBeThereDrawsTheOthersNear() {
        List<Device> must = vfs(1, 0x80, 0, 1);
        List<Device> devices = join(vfs(0, 0x10, 0, 8), vfs(1, 0x80, 0, 4));

        List<Device> chosen = Affinity.choose(devices, must, 3, Preference.PACK);

        assertThat(chosen).hasSize(3).containsAll(must);
        assertThat(pfs(chosen)).containsExactly("0000:80:00.0");
    }

    @Test
    void answerIsAlwaysOfTheAvailableAndOfTheSizeAskedFor() {
        Random random = new Random(7);
        List<Device> all = join(vfs(0, 0x10, 0, 16), vfs(1, 0x80, 0, 16), vfs(1, 0x80, 1, 16));
        for (int round = 0; round < 2_000; round++) {
            Collections.shuffle(all, random);
            List<Device> available = List.copyOf(all.subList(0, 1 + random.nextInt(all.size())));
            List<Device> must = available.subList(0, random.nextInt(available.size()));
            int size = must.size() + random.nextInt(available.size() - must.size() + 1);
            Preference preference = random.nextBoolean() ? Preference.PACK : Preference.SPREAD;

            List<Device> chosen = Affinity.choose(available, must, size, preference);

            assertThat(chosen).hasSize(size).doesNotHaveDuplicates().containsAll(must);
            assertThat(available).containsAll(chosen);
        }
    }

    @Test
    void absurdSizesAreAnswered() {
        List<Device> devices = vfs(0, 0x10, 0, 2);

        assertThat(Affinity.choose(devices, List.of(), -1, Preference.PACK)).isEmpty();
        assertThat(Affinity.choose(devices, List.of(), 9, Preference.PACK)).isEqualTo(devices);
        assertThat(Affinity.choose(List.of(), List.of(), 1, Preference.SPREAD)).isEmpty();
    }

    /** VFs of one PF, below the root port of their bus. */
    private static List<Device> vfs(int node, int bus, int pfFunction, int count) {
        PciAddress pf = new PciAddress(0, bus, 0, pfFunction);
        return IntStream.range(0, count)
                .<Device>mapToObj(index -> new VirtualFunction(
                        new FunctionBuilder(new PciAddress(0, bus, 1 + 2 * pfFunction + index / 8, index % 8))
                                .ethernet(0x8086, 0x1889)
                                .numaNode(node)
                                .rootPort(new PciAddress(0, bus - 1, 0, 0))
                                .build(),
                        pf,
                        index,
                        List.of(),
                        List.of(),
                        Optional.empty(),
                        Health.HEALTHY))
                .toList();
    }

    private static List<Device> join(List<Device> one, List<Device> two) {
        List<Device> all = new ArrayList<>(one);
        all.addAll(two);
        return all;
    }

    private static List<Device> join(List<Device> one, List<Device> two, List<Device> three) {
        return join(join(one, two), three);
    }

    private static Set<Integer> nodes(List<Device> devices) {
        Set<Integer> nodes = new HashSet<>();
        devices.forEach(device -> nodes.add(device.numaNode().orElseThrow()));
        return nodes;
    }

    private static Set<String> pfs(List<Device> devices) {
        Set<String> pfs = new HashSet<>();
        devices.forEach(
                device -> pfs.add(((VirtualFunction) device).physicalFunction().toString()));
        return pfs;
    }
}
