package io.edgeplug.node.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.edgeplug.system.files.Ownership;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cgroups of pods below others: of a kubelet with a cgroup root, or of one in a container. */
final class NestedCgroupsTest {

    private static final String UID = "1f3a-77";

    @TempDir
    private Path directory = Path.of("");

    private EndedPods ended;

    @BeforeEach
    void open() {
        ended = new EndedPods(directory.resolve("pods"), directory.resolve("cgroup"), Duration.ofHours(1));
    }

    private Path make(String path) throws IOException {
        return Files.createDirectories(directory.resolve(path));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1f3a_77.slice",
                "kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/kubelet-kubepods-burstable-pod1f3a_77.slice",
                "system.slice/docker-0a1b.scope/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod1f3a_77.slice",
                "lxc.payload.node/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1f3a_77.slice",
                "kubelet/kubepods/burstable/pod1f3a-77",
                "docker/0a1b/kubelet/kubepods/besteffort/pod1f3a-77",
                "docker/0a1b/kubelet/kubepods/pod1f3a-77"
            })
    void podWithACgroupMayRunAndHasNotEnded(String cgroup) throws IOException {
        for (String hierarchy : new String[] {"cgroup/", "cgroup/memory/"}) {
            Path own = make("pods/" + UID);
            Path made = make(hierarchy + cgroup);
            open();
            assertThat(ended.hasEnded(UID)).isFalse();
            assertThat(ended.cgroups.has(UID)).as("may run").isTrue();
            Files.delete(own);
            assertThat(ended.hasEnded(UID))
                    .as("has ended while its cgroup is there")
                    .isFalse();
            Files.delete(made);
            assertThat(ended.hasEnded(UID)).isTrue();
        }
    }

    /** By these, one sandbox of a pod is told from the next one. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1f3a_77.slice",
                "kubelet/kubepods/besteffort/pod1f3a-77"
            })
    void cgroupsOfAPodsContainersAreNamed(String cgroup) throws IOException {
        open();
        assertThat(ended.cgroups.containers(UID)).isEmpty();
        make("cgroup/" + cgroup + "/cri-containerd-5a0b.scope/made-inside");
        make("cgroup/" + cgroup + "/cri-containerd-71ce.scope");
        make("cgroup/kubelet/kubepods/podother/cri-containerd-0001.scope");
        open();
        assertThat(ended.cgroups.containers(UID))
                .containsExactlyInAnyOrder("cri-containerd-5a0b.scope", "cri-containerd-71ce.scope");
        assertThat(ended.cgroups.containers("../podother")).isEmpty();
    }

    /** Else its devices would never be free. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "kubepods/burstable/podother/kubepods/pod1f3a-77",
                "kubepods.slice/kubepods-podother.slice/kubepods.slice/kubepods-pod1f3a_77.slice"
            })
    void podCannotPretendThatAnotherOneRuns(String cgroup) throws IOException {
        Path own = make("pods/" + UID);
        make("cgroup/" + cgroup);
        assertThat(ended.hasEnded(UID)).isFalse();
        Files.delete(own);

        assertThat(ended.cgroups.has(UID)).isFalse();
        assertThat(ended.hasEnded(UID)).isTrue();
    }

    /** systemd gives them a cgroup of their own, for example. */
    @Test
    void userCannotPretendThatAPodRuns() throws IOException {
        assumeTrue(Ownership.isRoot(), "only root gives a directory to another user");
        make("cgroup/kubepods");
        Path ofUser = make("cgroup/user.slice/user-1000.slice/user@1000.service");
        make("cgroup/user.slice/user-1000.slice/user@1000.service/kubepods/pod1f3a-77");
        assertThat(ended.cgroups.has(UID)).as("as root's").isTrue();

        Files.setAttribute(ofUser, "unix:uid", 1000);
        open();

        assertThat(ended.cgroups.has(UID)).isFalse();
    }
}
