package io.edgeplug.node.vfs;

import static io.edgeplug.node.vfs.SriovNode.PATIENT;
import static io.edgeplug.node.vfs.SriovNode.PF0;
import static io.edgeplug.node.vfs.SriovNode.PF1;
import static io.edgeplug.node.vfs.SriovNode.assertGood;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.node.pods.NotedClaim;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A PF that a pod has as a whole adapter gets no VFs: the pod could change them, and others would be given them. */
final class HeldPfTest extends OnSriovNode {

    private void assertNoVfs(String reason) throws Exception {
        assertThat(node.apply(node.wanted("count = 4", "mtu = 9000"), PATIENT)
                        .getFirst()
                        .text())
                .isEqualTo("is left as it is, because it is in use: " + reason);
        assertThat(node.drivers()).isEmpty();
        assertThat(node.read(COUNT)).isEqualTo("0");
        assertThat(node.ipCalls()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {PF0, PF0 + "::1", PF0 + "-part"})
    void pfOfAPodIsLeftAsItIs(String id) throws Exception {
        node.hold(id);

        assertNoVfs("container main of pod 6f1c has it, as " + id + " of example.com/vf");
    }

    @ParameterizedTest
    @ValueSource(strings = {PF0, PF0 + "::1"})
    void pfOfAClaimIsLeftAsItIs(String id) throws Exception {
        NotedClaim.note(root.resolve("node"), id);

        assertNoVfs("claim default/mine has it");
    }

    @Test
    void otherPfIsInNobodysWay() throws Exception {
        node.hold(PF1);

        assertGood(node.apply(node.wanted("count = 4"), PATIENT));
    }

    @Test
    void pfThatIsAsWantedMayBeHeld() throws Exception {
        assertGood(node.apply(node.wanted("count = 4"), PATIENT));
        node.hold(PF0);

        assertGood(node.apply(node.wanted("count = 4"), PATIENT));
    }

    @Test
    void pfThatAPodIsGivenAfterThePlanGetsNoVfs() throws Exception {
        node.interfere(AUTOPROBE, () -> node.hold(PF0));

        assertThat(node.apply(node.wanted("count = 4"), PATIENT).getFirst().text())
                .contains("container main of pod 6f1c has it");
        assertThat(node.read(COUNT)).isEqualTo("0");
    }
}
