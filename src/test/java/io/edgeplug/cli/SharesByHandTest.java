package io.edgeplug.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.edgeplug.node.pods.NotedClaim;
import java.util.Optional;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is done by hand to a device of which a pod or a claim has a share, or a part. */
@Timeout(60)
final class SharesByHandTest extends ByHandOnDemoNode {

    private void assertRefused(boolean isRelease, String lines, String reason) {
        assertThatIOException()
                .isThrownBy(
                        () -> byHand.perform(classes(lines), VF, new ByHand.Errand(isRelease, Optional.empty()), false))
                .withMessageContaining(reason);
        assertThat(node.acts()).isEmpty();
    }

    /** A class may have had shares before a reload, and its pods and claims keep theirs. */
    private void assertRefused(String reason) {
        assertRefused(true, "shares = 2\nrelease = { reset = \"flr\" }", reason);
        assertRefused(false, "prepare = { reset = \"flr\" }", reason);
    }

    @ParameterizedTest
    @ValueSource(strings = {VF, VF + "::0", VF + "-part", VF + "-part::1"})
    void deviceOfAClaimIsLeftAlone(String id) throws Exception {
        NotedClaim.note(node.root(), id);

        assertRefused("is held by claim default/mine");
    }

    @ParameterizedTest
    @ValueSource(strings = {VF, VF + "::0", VF + "-part", VF + "-part::1"})
    void deviceOfAPodIsLeftAlone(String id) throws Exception {
        checkpoint(HELD.replace(VF, id));

        assertRefused("may be held by container main of pod 1f3a, as " + id);
    }
}
