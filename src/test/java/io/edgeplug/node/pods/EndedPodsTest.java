package io.edgeplug.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whether a pod has ended, by what a kubelet leaves of it. */
final class EndedPodsTest {

    private static final String UID = "1f3a-77";

    @TempDir
    private Path directory = Path.of("");

    private Path pods = Path.of("");
    private EndedPods ended;

    @BeforeEach
    void open() {
        pods = directory.resolve("pods");
        ended = new EndedPods(pods, directory.resolve("cgroup"), Duration.ofHours(1));
    }

    private Path make(String path) throws IOException {
        return Files.createDirectories(directory.resolve(path));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "..", "../elsewhere", "a\u0000b", "a\ud800b"})
    void nothingIsSaidOfAPodWithANameThatNoKubeletGives(String uid) throws IOException {
        make("pods");
        make("cgroup/kubepods.slice");
        EndedPods impatient = new EndedPods(pods, directory.resolve("cgroup"), Duration.ZERO);
        assertThat(impatient.hasEnded(uid)).isFalse();
        assertThat(impatient.cgroups.has(uid)).isFalse();
    }

    @Test
    void podThatIsNotStartedYetHasNotEnded() throws IOException {
        assertThat(ended.hasEnded(UID)).isFalse();
        make("pods");
        make("cgroup/kubepods.slice");
        assertThat(ended.hasEnded(UID)).isFalse();
    }

    @Test
    void podWhoseDirectoryDoesNotComeHasEndedUnseen() throws IOException {
        make("pods");
        EndedPods impatient = new EndedPods(pods, directory.resolve("cgroup"), Duration.ZERO);
        assertThat(impatient.hasEnded(UID)).isTrue();
    }

    @Test
    void podWhoseDirectoryWasThereAndIsGoneHasEnded() throws IOException {
        Path own = make("pods/" + UID);
        assertThat(ended.hasEnded(UID)).isFalse();
        Files.delete(own);
        assertThat(ended.hasEnded(UID)).isTrue();
        ended.keep(Set.of());
        assertThat(ended.hasEnded(UID)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kubepods.slice/kubepods-pod1f3a_77.slice",
                "kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1f3a_77.slice",
                "memory/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod1f3a_77.slice",
                "kubepods/pod1f3a-77",
                "kubepods/besteffort/pod1f3a-77"
            })
    void podWithADirectoryHasEndedOnceItsCgroupIsGone(String cgroup) throws IOException {
        make("pods/" + UID);
        Path own = make("cgroup/" + cgroup);
        assertThat(ended.hasEnded(UID)).isFalse();
        Files.delete(own);
        assertThat(ended.hasEnded(UID)).isTrue();
    }

    @Test
    void podWhoseDirectoryIsGoneHasNotEndedAsLongAsItsCgroupIsThere() throws IOException {
        Path own = make("pods/" + UID);
        Path cgroup = make("cgroup/kubepods/burstable/pod" + UID);
        assertThat(ended.hasEnded(UID)).isFalse();
        Files.delete(own);
        assertThat(ended.hasEnded(UID)).isFalse();
        Files.delete(cgroup);
        assertThat(ended.hasEnded(UID)).isTrue();
    }

    /** A pod that waits for the node's network has the directory that it had before. */
    @Test
    void podWhoseCgroupIsNotMadeYetAfterARebootHasNotEnded() throws IOException {
        make("pods/" + UID);
        make("cgroup/kubepods");
        assertThat(ended.hasEnded(UID)).isFalse();
        assertThat(new EndedPods(pods, directory.resolve("cgroup"), Duration.ZERO).hasEnded(UID))
                .isTrue();
    }

    @Test
    void whereCgroupsAreIsNotKnownEverywhere() throws IOException {
        make("pods/" + UID);
        make("cgroup/elsewhere");
        assertThat(ended.hasEnded(UID)).isFalse();
        assertThat(ended.hasEnded("../pods")).isFalse();
    }
}
