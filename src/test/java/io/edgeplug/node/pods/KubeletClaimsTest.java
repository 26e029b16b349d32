package io.edgeplug.node.pods;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KubeletClaimsTest {

    private static final PreparedClaim.Pod POD = new PreparedClaim.Pod("uid-of-pod", "pod");

    @TempDir
    private Path directory = Path.of("");

    private boolean mayRun(PreparedClaim.Pod... pods) {
        PreparedClaim claim = new PreparedClaim("uid", "default", "mine", List.of(pods), List.of());
        return new KubeletClaims(directory, directory).mayRun(claim);
    }

    @Test
    void podMayRunUnlessItsCgroupIsMissing() throws Exception {
        Path all = Files.createDirectory(directory.resolve("kubepods"));
        assertThat(mayRun(POD)).isFalse();
        Path unusedCgroup = Files.createDirectory(all.resolve("poduid-of-pod"));
        assertThat(mayRun(POD)).isTrue();
    }

    @Test
    void podMayRunWhereTheKubeletMakesNoCgroups() {
        assertThat(mayRun(POD)).isTrue();
    }

    /** The claim may be reserved for something else than pods. */
    @Test
    void podMayRunIfNoneIsKnown() throws Exception {
        Path unusedDirectory = Files.createDirectory(directory.resolve("kubepods"));
        assertThat(mayRun()).isTrue();
    }
}
