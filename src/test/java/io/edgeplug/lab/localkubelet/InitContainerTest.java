package io.edgeplug.lab.localkubelet;

import static io.edgeplug.lab.localkubelet.TestPlugin.healthy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.edgeplug.model.device.ResourceName;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InitContainerTest {

    private static final ResourceName VF = ResourceName.parse("example.com/vf");

    @TempDir
    Path directory;

    @Test
    void devicesOfInitContainersAreUsedAgain() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"), healthy("b"), healthy("c"));
            Pod pod =
                    node.kubelet().admit(spec(List.of(wants("load", 2)), List.of(wants("main", 1), wants("side", 1))));

            SortedSet<String> loaded = pod.container("load").devices(VF);
            assertThat(loaded).hasSize(2);
            assertThat(pod.container("main").devices(VF)).hasSize(1).isSubsetOf(loaded);
            assertThat(pod.container("side").devices(VF))
                    .hasSize(1)
                    .isSubsetOf(loaded)
                    .isNotEqualTo(pod.container("main").devices(VF));
            assertThat(plugin.allocations).hasSize(3);
            assertThat(node.kubelet().resource(VF).allocated()).isEqualTo(loaded);
        }
    }

    @Test
    void initContainersUseEachOthersDevicesAndMainContainersDoNot() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a"), healthy("b"));
            Pod pod = node.kubelet()
                    .admit(spec(
                            List.of(wants("first", 1), wants("second", 2)),
                            List.of(wants("main", 1), wants("side", 1))));
            assertThat(pod.container("second").devices(VF))
                    .hasSize(2)
                    .containsAll(pod.container("first").devices(VF));
            assertThat(pod.container("main").devices(VF))
                    .isNotEqualTo(pod.container("side").devices(VF));
        }
    }

    @Test
    void moreThanInitContainersHadComesFromTheFreeOnes() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            node.registered(VF, "vf.sock", healthy("a"), healthy("b"), healthy("c"));
            Pod pod = node.kubelet().admit(spec(List.of(wants("load", 1)), List.of(wants("main", 3))));
            assertThat(pod.container("main").devices(VF)).containsExactly("a", "b", "c");
            assertThatExceptionOfType(AdmissionException.class)
                    .isThrownBy(() -> node.kubelet().admit(PodSpec.of("other", VF, 1)))
                    .withMessageContaining("Requested: 1, Available: 0");
        }
    }

    @Test
    void admittedAgainEveryContainerKeepsItsOwn() throws Exception {
        try (TestNode node = TestNode.open(directory)) {
            TestPlugin plugin = node.registered(VF, "vf.sock", healthy("a"), healthy("b"), healthy("c"));
            PodSpec spec = spec(List.of(wants("load", 1)), List.of(wants("main", 2)));
            Pod pod = node.kubelet().admit(spec);
            assertThat(node.kubelet().admit(spec)).isEqualTo(pod);
            assertThat(plugin.allocations).hasSize(2);
            node.kubelet().remove("pod");
            assertThat(node.kubelet().resource(VF).allocated()).isEmpty();
        }
    }

    private static PodSpec spec(List<PodSpec.Container> first, List<PodSpec.Container> main) {
        return new PodSpec("pod", first, main);
    }

    private static PodSpec.Container wants(String name, int count) {
        return new PodSpec.Container(name, Map.of(VF, count));
    }
}
