package io.edgeplug.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.lab.localkubelet.LocalKubelet;
import io.edgeplug.lab.localkubelet.PodSpec;
import io.edgeplug.node.pods.HeldDevices.Holding;
import io.edgeplug.node.pods.PodNames.Holder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a checkpoint that nobody renews is worth, beside a kubelet that tells of its pods. */
@Timeout(60)
final class KubeletPodsTest extends OnKubeletPods {

    KubeletPodsTest() throws IOException {}

    @Test
    void podIsKnownByNameAndFreeOnceThePodsApiSaysThatItIsGone() throws Exception {
        try (LocalKubelet kubelet = kubelet();
                KubeletPods pods = pods()) {
            List<Holding> ignored = look(pods);
            kubelet.admit(PodSpec.of("dpdk-0", VF, 1).in("edge"));
            await(() -> pods.name(HELD).isPresent() && pods.areTold());
            assertThat(pods.name(HELD)).contains(new Holder("edge", "dpdk-0", "main"));
            assertThat(look(pods)).containsExactly(HELD);

            kubelet.delete("dpdk-0");

            await(() -> pods.name(HELD).isEmpty());
            assertThat(look(pods)).isEmpty();
        }
    }

    @Test
    void podThatIsSaidToBeGoneIsHeldAsLongAsItsCgroupIsThere() throws Exception {
        Path cgroup = Files.createDirectories(root.resolve("cgroup/kubepods/burstable/poddpdk-0"));
        try (LocalKubelet kubelet = kubelet();
                KubeletPods pods = pods()) {
            List<Holding> ignored = look(pods);
            kubelet.admit(PodSpec.of("dpdk-0", VF, 1));
            await(() -> pods.name(HELD).isPresent() && pods.areTold());
            kubelet.delete("dpdk-0");
            await(() -> pods.name(HELD).isEmpty());

            assertThat(look(pods)).containsExactly(HELD);
            assertThat(pods.areEnding()).isTrue();
            Files.delete(cgroup);

            assertThat(look(pods)).isEmpty();
            assertThat(pods.areEnding()).isFalse();
        }
    }

    @Test
    void podThatIsSaidToBeGoneHoldsADeviceThatIsGivenAnewUntilItIsSaidAgain() throws Exception {
        try (LocalKubelet kubelet = kubelet();
                KubeletPods pods = pods()) {
            for (int i = 0; i < 2; i++) {
                kubelet.admit(PodSpec.of("dpdk-0", VF, 1));
                await(() -> pods.name(HELD).isPresent() && pods.areTold());
                assertThat(look(pods)).containsExactly(HELD);
                kubelet.delete("dpdk-0");
                await(() -> pods.name(HELD).isEmpty());
                assertThat(look(pods)).isEmpty();

                pods.give(List.of(HELD.id()));

                assertThat(look(pods)).containsExactly(HELD);
            }
        }
    }

    /** One that only an init container had is never listed. */
    @Test
    void deviceThatWasNeverListedIsFreeOnceItsPodsContainersHaveEnded() throws Exception {
        try (LocalKubelet kubelet = kubelet();
                KubeletPods pods = pods()) {
            List<Holding> ignored = look(pods);
            kubelet.admit(PodSpec.of("dpdk-0", VF, 1));
            await(() -> pods.name(HELD).isPresent() && pods.areTold());
            ask(pods);
            assertThat(look(pods)).containsExactly(HELD);

            kubelet.end("dpdk-0");

            await(pods::areDoubtful);
            ask(pods);
            assertThat(look(pods)).isEmpty();
        }
    }

    @Test
    void podThatWentWhileNobodyListenedIsFreeOnceAllOthersAreTold() throws Exception {
        try (LocalKubelet kubelet = kubelet();
                KubeletPods pods = podsAsNoted()) {
            await(pods::areTold);
            noteHeld();
            // noted after the kubelet has told all pods, and gone before it could tell this one
            assertThat(look(pods)).containsExactly(HELD);
            kubelet.stop();
            await(() -> !pods.areTold());
            kubelet.start();

            await(pods::areTold);

            assertThat(look(pods)).isEmpty();
        }
    }

    /** As after a restart of edgeplug, while the kubelet still notes a pod that has ended. */
    @Test
    void podThatWentBeforeItWasFollowedIsFreeOnceAllOthersAreTold() throws Exception {
        try (LocalKubelet kubelet = kubelet();
                KubeletPods pods = pods()) {
            await(pods::areTold);

            assertThat(look(pods)).isEmpty();
        }
    }
}
