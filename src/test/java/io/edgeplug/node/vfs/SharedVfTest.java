package io.edgeplug.node.vfs;

import static io.edgeplug.node.vfs.SriovNode.PATIENT;
import static io.edgeplug.node.vfs.SriovNode.assertGood;
import static org.assertj.core.api.Assertions.assertThat;

import io.edgeplug.node.pods.NotedClaim;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A VF of which a pod or a claim has a share, or a part, is not removed. */
final class SharedVfTest extends OnSriovNode {

    @ParameterizedTest
    @ValueSource(strings = {FIRST_VF, FIRST_VF + "::0", FIRST_VF + "-part", FIRST_VF + "-part::1"})
    void vfOfAClaimIsNotRemoved(String id) throws Exception {
        assertGood(node.apply(node.wanted("count = 4"), PATIENT));
        NotedClaim.note(root.resolve("node"), id);

        assertThat(node.apply(node.wanted("count = 2"), PATIENT).getFirst().text())
                .contains("claim default/mine has it");
    }

    @ParameterizedTest
    @ValueSource(strings = {FIRST_VF, FIRST_VF + "::0", FIRST_VF + "-part", FIRST_VF + "-part::1"})
    void vfOfAPodIsNotRemoved(String id) throws Exception {
        assertGood(node.apply(node.wanted("count = 4"), PATIENT));
        node.hold(id);

        assertThat(node.apply(node.wanted("count = 2"), PATIENT).getFirst().text())
                .contains(" has it, as " + id + " of ");
    }
}
