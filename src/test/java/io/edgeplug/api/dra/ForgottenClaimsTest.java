package io.edgeplug.api.dra;

import static io.edgeplug.api.dra.DraNode.VF0;
import static io.edgeplug.api.dra.DraNode.VF0_NAME;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.api.kubelet.LogLines;
import io.edgeplug.api.kubelet.Seen;
import io.edgeplug.node.supply.Failures;
import io.edgeplug.proto.pluginregistration.PluginInfo;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Claims that nobody releases, because the kubelet has lost its notes of them. */
@Timeout(90)
final class ForgottenClaimsTest extends OnDraNode {

    @BeforeEach
    void prepare() {
        node.allocate("mine", VF0_NAME);
        assertThat(error("mine")).isEmpty();
    }

    private void mayReadClaims() {
        node.server.gate(objects -> objects.claims.rights.addAll(ClaimObjects.ROLE));
    }

    private void delete() {
        node.server.gate(objects -> objects.claims.delete("default", "mine"));
    }

    private void restartKubelet() throws Exception {
        PluginInfo ignored = node.kubelet.register();
    }

    private List<Failures.Failure> failures() {
        return node.status().failures();
    }

    @Test
    void claimThatIsGoneIsReleased() throws Exception {
        mayReadClaims();
        delete();
        node.kubelet.lose();
        restartKubelet();

        Seen.untilSo("no holder", () -> node.holder(VF0).isEmpty());
        assertThat(node.claims()).isEmptyDirectory();
        assertThat(node.specifications()).isEmpty();
    }

    @Test
    void claimThatWasDeallocatedIsReleased() throws Exception {
        node.server.put(TestClaims.deallocated("mine"));
        node.kubelet.lose();
        restartKubelet();

        Seen.untilSo("no holder", () -> node.holder(VF0).isEmpty());
    }

    /** The look at another claim shows that this one was looked at too. */
    @Test
    void claimIsKeptWhileItsPodRunsOrTheKubeletKnowsItOrItIsAllocated() throws Exception {
        mayReadClaims();
        node.allocate("yours", DraNode.VF1_NAME);
        assertThat(error("yours")).isEmpty();
        node.runs("uid-of-pod-of-mine", true);
        delete();
        node.server.put(TestClaims.deallocated("yours"));
        restartKubelet();
        node.kubelet.lose();
        restartKubelet();
        Seen.untilSo("no holder of the other", () -> node.holder(DraNode.VF1).isEmpty());
        assertThat(node.holder(VF0)).isPresent();

        node.runs("uid-of-pod-of-mine", false);
        node.allocate("mine", VF0_NAME);
        node.allocate("theirs", DraNode.VF1_NAME);
        assertThat(error("theirs")).isEmpty();
        node.kubelet.lose();
        node.server.put(TestClaims.deallocated("theirs"));
        restartKubelet();
        Seen.untilSo("no holder of the other", () -> node.holder(DraNode.VF1).isEmpty());
        assertThat(node.holder(VF0)).isPresent();
    }

    @Test
    void personIsToldWhatToDoIfTheApiServerDoesNotTell() throws Exception {
        delete();
        node.kubelet.lose();
        try (LogLines log = LogLines.open()) {
            restartKubelet();
            assertThat(log.await("Claim default/mine is not released: the kubelet has lost its note of the claim"))
                    .hasSize(1);
        }
        assertThat(failures()).singleElement().satisfies(one -> {
            assertThat(one.what()).isEqualTo("release");
            assertThat(one.subjects()).containsExactly("default/mine");
            assertThat(one.text())
                    .contains("run rm " + node.claims().resolve("uid-of-mine.json") + " && systemctl restart edgeplug")
                    .contains("the claim keeps " + VF0 + ", because", "is not allowed to get resourceclaims");
        });
        assertThat(node.holder(VF0)).isPresent();

        mayReadClaims();
        restartKubelet();
        Seen.untilSo("no holder", () -> node.holder(VF0).isEmpty());
        assertThat(failures()).isEmpty();
    }

    @Test
    void personIsToldAgainOfTheNextLoss() throws Exception {
        delete();
        node.kubelet.lose();
        restartKubelet();
        Seen.untilSo("told", () -> !failures().isEmpty());
        node.allocate("mine", VF0_NAME);
        assertThat(error("mine")).isEmpty();
        assertThat(node.kubelet.unprepare("mine").getError()).isEmpty();
        assertThat(failures()).isEmpty();
        // The release of another claim shows that a look had nothing of this one.
        node.allocate("yours", DraNode.VF1_NAME);
        assertThat(error("yours")).isEmpty();
        node.kubelet.lose();
        node.server.put(TestClaims.deallocated("yours"));
        restartKubelet();
        Seen.untilSo("no holder of the other", () -> node.holder(DraNode.VF1).isEmpty());

        assertThat(error("mine")).isEmpty();
        delete();
        node.kubelet.lose();
        restartKubelet();
        Seen.untilSo("told again", () -> !failures().isEmpty());
    }

    @Test
    void deviceIsFreeOnceAPersonHasDeletedTheNoteAndRestartedTheDaemon() throws Exception {
        node.kubelet.lose();
        Files.delete(node.claims().resolve("uid-of-mine.json"));
        node.stopDaemon();
        node.startDaemon();

        Seen.untilSo("no holder", () -> node.holder(VF0).isEmpty());
        assertThat(node.specifications()).isEmpty();
    }
}
