package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.model.custody.User;
import io.edgeplug.model.device.PciAddress;
import io.edgeplug.system.flow.Deadline;
import io.edgeplug.system.flow.Outcomes;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The parts of the daemon's status on a node where devices are claimed. */
@Timeout(90)
final class DraStatusTest extends OnDraNode {

    private SliceStatus await(Predicate<SliceStatus> wanted) {
        Deadline patience = Deadline.in(DraNode.PATIENCE);
        SliceStatus status = node.driver().slices();
        while (!wanted.test(status)) {
            assertThat(patience.isOver()).as("%s", status).isFalse();
            Thread.onSpinWait();
            status = node.driver().slices();
        }
        return status;
    }

    @Test
    void slicesAreToldOnceTheyArePublished() {
        assertThat(await(status -> status.problem().isEmpty()))
                .isEqualTo(new SliceStatus("node1", 1, 1, 2, Optional.empty()));
    }

    @Test
    void slicesAreNotPublishedBeforeTheKubeletHasTakenUpTheDriver() throws Exception {
        node.reload();

        assertThat(node.driver().slices().problem()).contains("the kubelet has not taken up the driver yet");
    }

    @Test
    void reasonIsToldWhySlicesAreNotAsTheyShouldBe() throws Exception {
        SliceStatus before = await(status -> status.problem().isEmpty());
        node.server.close();
        node.node.fallOff(new PciAddress(0, 0x3b, 1, 0));

        SliceStatus after = await(status -> status.problem().isPresent());
        assertThat(after.problem().orElseThrow()).startsWith("API server https://127.0.0.1:");
        assertThat(after.pool()).isEqualTo(before.pool());
        assertThat(after.slices()).isEqualTo(1);
    }

    @Test
    void holderIsThePodThatTheClaimIsFor() throws Exception {
        node.allocate("mine", VF0_NAME);
        try (LogLines log = LogLines.open()) {
            assertThat(error("mine")).isEmpty();
            assertThat(log.await(VF0 + ": held by default/pod-of-mine (claim mine)"))
                    .hasSize(1);
        }
        assertThat(error("nobodys")).isNotEmpty();

        List<User.Pod> holders = node.status().resources().getFirst().devices().stream()
                .filter(one -> one.device().id().equals(VF0))
                .flatMap(one -> one.holders().stream())
                .toList();
        assertThat(holders)
                .containsExactly(new User.Pod(
                        "uid-of-pod-of-mine", Optional.of("default"), Optional.of("pod-of-mine"), "claim mine"));
        assertThat(node.driver().preparations()).isEqualTo(new Outcomes.Counts(1, 1));
    }
}
